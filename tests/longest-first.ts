import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Begins with the tests that kill processes: they take longest, and at the end nothing would run beside them. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.includes('/tests/crash/');
    return [...sorted.filter(isLong), ...sorted.filter((one) => !isLong(one))];
  }
}
