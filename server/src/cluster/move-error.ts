/** Why a move cannot go on, in words for an operator. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}
