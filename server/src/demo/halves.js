/** Which part of the page is shown: beside the inbox the app or the choices, and on a narrow screen one of the three. */
const narrow = matchMedia('(max-width: 860px)');

export function attachHalves() {
  const { dataset } = document.body;
  const buttons = [...document.querySelectorAll('[data-half]')];
  const draw = () => {
    const shown = narrow.matches ? dataset.shown : dataset.left;
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.half === shown));
  };
  for (const button of buttons) {
    button.addEventListener('click', () => {
      const { half } = button.dataset;
      dataset.shown = half;
      if (half !== 'inbox') dataset.left = half;
      draw();
    });
  }
  narrow.addEventListener('change', draw);
  draw();
}
