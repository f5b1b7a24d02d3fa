/** A value made when it is first asked for, and kept: what few processes need costs the others neither time nor memory. */
export function lazy<Value>(make: () => Value): () => Value {
  let value: Value;
  let isMade = false;
  return () => {
    if (!isMade) {
      value = make();
      isMade = true;
    }
    return value;
  };
}
