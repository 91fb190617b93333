/** Counts work among what is under way until it ends, however it does. @returns the same work */
export function track<T>(underWay: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  underWay.add(work);
  const end = () => void underWay.delete(work);
  work.then(end, end);
  return work;
}
