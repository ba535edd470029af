/** A moment of a test, which another part of it waits for. */
export function moment() {
  let come: () => void = () => undefined;
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { came, come };
}
