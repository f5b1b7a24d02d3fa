/** The release this is, as in package.json. */
import packageFile from '../../package.json' with { type: 'json' };

export const releaseVersion: string = packageFile.version;
