/** First names for people whom a trace knows only by number, so that a replay reads like a place with people in it. */
const names =
  'Ada Aino Amal Amir Anouk Arun Asha Astrid Aya Bao Bela Bruno Carmen Celia Chidi Clara Dara Diego Dunja Edda Elif Emil ' +
  'Enzo Esra Fadi Fenna Finn Freya Gaia Goran Greta Hana Hugo Ida Imani Ines Ivo Jana Jonas Juno Kaito Kalle Karin Kofi ' +
  'Lale Lars Leila Lena Linh Luca Maja Malik Marta Mei Milan Mina Mira Nadia Nia Nils Noor Nuria Olga Omar Otis Pablo ' +
  'Petra Priya Rafa Rania Ravi Rosa Ruben Runa Sami Sana Selma Silas Simone Sofia Soren Suki Tara Theo Tilda Tomas Uma ' +
  'Vera Viktor Wanda Willa Xenia Yara Yuki Yusuf Zadie Zain Zoe';

const firstNames = names.split(' ');

/** The same id always has the same name: `Mira 989`. Ids are the decimal numbers of the trace. */
export function traceName(id: string): string {
  const number = Number(id);
  // Knuth's multiplicative step spreads neighbouring ids over the list.
  const spread = Math.imul(number, 2654435761) >>> 0;
  return `${firstNames[spread % firstNames.length]} ${number % 1000}`;
}
