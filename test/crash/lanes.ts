/** Does the work in that many lanes at once, each taking the next number (from 1) until a work answers `false`. */
export async function inLanes(lanes: number, work: (number: number) => Promise<boolean>): Promise<void> {
  let next = 1;
  let isOver = false;
  const lane = async () => {
    while (!isOver) {
      const number = next;
      next += 1;
      if (!(await work(number))) isOver = true;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
