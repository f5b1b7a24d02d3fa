/** How a long command tells how far it is: a bar that is redrawn on a terminal, now and then a plain line elsewhere. */

export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const redrawMs = 100;
const plainLineMs = 5000;
const barCellsMax = 30;

export interface ProgressLine {
  /** Shows `done`, unless something was shown a moment ago. */
  update(done: number): void;
  /** Ends the line, so that what follows starts on a fresh one. */
  end(done: number): void;
}

/** `monotonicMs` is the clock that the rate and the time left are reckoned by. */
export function progressLine(total: number, output: ProgressOutput, monotonicMs: () => number): ProgressLine {
  const startMs = monotonicMs();
  let shownMs = Number.NEGATIVE_INFINITY;
  const text = (done: number): string => {
    const perSecond = done / Math.max(0.001, (monotonicMs() - startMs) / 1000);
    const figures = `${count(done)} of ${count(total)}  ${count(Math.round(perSecond))}/s`;
    if (!output.isTTY) return `${figures}\n`;
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const cells = Math.max(10, Math.min(barCellsMax, (output.columns ?? 80) - figures.length - 12));
    const full = Math.round(share * cells);
    const bar = '━'.repeat(full) + '─'.repeat(cells - full);
    return `\r\u001b[K${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${figures}`;
  };
  return {
    update(done) {
      const now = monotonicMs();
      if (now - shownMs < (output.isTTY ? redrawMs : plainLineMs)) return;
      shownMs = now;
      output.write(text(done));
    },
    end(done) {
      output.write(output.isTTY ? `${text(done)}\n` : text(done));
    },
  };
}

export function count(value: number): string {
  return value.toLocaleString('en');
}
