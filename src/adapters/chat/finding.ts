/** Something that was looked at. `fault` = Flowbot does not work so; `warning` = some of it does not. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'fault';
  readonly text: string;
}

/** As it should be. */
export const ok = (text: string): Finding => ({ level: 'ok', text });
/** Some of it does not work. */
export const warning = (text: string): Finding => ({ level: 'warning', text });
/** Flowbot does not work so. */
export const fault = (text: string): Finding => ({ level: 'fault', text });
