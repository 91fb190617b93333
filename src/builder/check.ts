import type { ExitsOf, Leaf, OutputOf, PropertiesOf } from './outputs.ts';
import type { EdgeKeys, StepKeys } from './written.ts';

/** Nothing can be assigned to it: the compiler shows its sentence. */
interface Fault<Sentence extends string> {
  readonly fault: Sentence;
}

/** What is right, unless something is wrong. */
type FaultOr<Wrong, Right> = [Wrong] extends [never] ? Right : Wrong;

/** The same steps, where what is wrong is a `Fault`. */
export type CheckSteps<Steps, Input> = {
  readonly [Id in keyof Steps]: CheckStep<Steps[Id], Steps, Input>;
};

type CheckStep<Step, Steps, Input> = Step extends { readonly type: infer T extends keyof StepKeys }
  ? {
      readonly [K in keyof Step]: K extends keyof StepKeys[T]
        ? K extends PlainText
          ? Step[K]
          : K extends 'inputs' | 'show'
            ? CheckIds<Step[K], Steps>
            : K extends 'all' | 'any'
              ? CheckRules<Step[K], Steps>
              : CheckData<Step[K], Steps, Input>
        : Fault<`A ${T} step has no ${K & string}.`>;
    }
  : unknown;

/** Keys in which nothing is a placeholder. */
type PlainText = 'name' | 'system' | 'ui';

type CheckIds<List, Steps> = { readonly [I in keyof List]: CheckId<List[I], Steps> };

type CheckId<Id, Steps> = Id extends string
  ? string extends Id
    ? Id
    : Id extends keyof Steps
      ? Id
      : Fault<`There is no step ${Id}.`>
  : Id;

/** Rules, alone or in lists, that name the steps they read. */
type CheckRules<Rules, Steps> = Rules extends object
  ? {
      readonly [K in keyof Rules]: K extends 'step'
        ? CheckId<Rules[K], Steps & Readonly<Record<'input' | 'run' | 'start', unknown>>>
        : CheckRules<Rules[K], Steps>;
    }
  : Rules;

/** Data with placeholders in its texts. */
export type CheckData<Data, Steps, Input> = Data extends string
  ? CheckText<Data, Steps, Input>
  : Data extends object
    ? { readonly [K in keyof Data]: CheckData<Data[K], Steps, Input> }
    : Data;

/** A text with its placeholders; texts that only the program knows are checked when the flow is loaded. */
type CheckText<Text extends string, Steps, Input> = FaultOr<FaultOf<Text, Steps, Input>, Text>;

type FaultOf<Text extends string, Steps, Input> = Text extends `${infer Before}{{${infer Path}}}${infer Rest}`
  ? Before extends `${string}\\`
    ? FaultOf<Rest, Steps, Input>
    : LookUpFault<Trim<Path>, Steps, Input> extends infer Wrong
      ? [Wrong] extends [never]
        ? FaultOf<Rest, Steps, Input>
        : Wrong
      : never
  : never;

type LookUpFault<Path extends string, Steps, Input> = string extends Path
  ? never
  : Path extends `${infer Head}.${infer Rest}`
    ? string extends Head
      ? never
      : Head extends keyof Steps
        ? Has<OutputOf<Steps[Head]>, Rest> extends true
          ? never
          : Fault<`{{${Path}}}: the output of ${Head} has no ${Rest}.`>
        : Head extends 'input'
          ? Has<PropertiesOf<Input>, Rest> extends true
            ? never
            : Fault<`{{${Path}}}: the input has no ${Rest}.`>
          : Head extends 'start' | 'run' | 'secrets'
            ? never
            : Fault<`{{${Path}}}: there is no step ${Head}.`>
    : Path extends keyof Steps | 'input' | 'start' | 'run'
      ? never
      : Fault<`{{${Path}}}: there is no step ${Path}.`>;

/** Whether a path leads to something; `unknown` holds everything. */
type Has<Shape, Path extends string> = unknown extends Shape
  ? true
  : Shape extends Leaf
    ? false
    : Path extends `${infer Key}.${infer Rest}`
      ? Key extends keyof Shape
        ? Has<Shape[Key], Rest>
        : false
      : Path extends keyof Shape
        ? true
        : false;

type Trim<Text extends string> = Text extends ` ${infer Rest}` | `${infer Rest} ` ? Trim<Rest> : Text;

/** The same edges, where what is wrong is a `Fault`. */
export type CheckEdges<Edges, Steps> = {
  readonly [I in keyof Edges]: Edges[I] extends string
    ? CheckChain<Edges[I], Steps>
    : CheckEdge<Edges[I], Steps>;
};

type CheckEdge<Edge, Steps> = {
  readonly [K in keyof Edge]: K extends 'to' | 'join'
    ? CheckId<Edge[K], Steps>
    : K extends 'choose'
      ? CheckIds<Edge[K], Steps>
      : K extends 'from'
        ? CheckFrom<Edge[K], Steps>
        : K extends 'when'
          ? CheckRules<Edge[K], Steps>
          : K extends keyof EdgeKeys
            ? Edge[K]
            : Fault<`An edge has no ${K & string}.`>;
};

type CheckChain<Chain extends string, Steps> = string extends Chain
  ? Chain
  : FaultOr<ChainFault<Chain, Steps>, Chain>;

type ChainFault<Chain extends string, Steps> = Chain extends `${infer From}->${infer Rest}`
  ? EndFault<Trim<From>, Steps> extends infer Wrong
    ? [Wrong] extends [never]
      ? Rest extends `${string}->${string}`
        ? ChainFault<Rest, Steps>
        : Trim<Rest> extends keyof Steps
          ? never
          : Fault<`There is no step ${Trim<Rest>}.`>
      : Wrong
    : never
  : Fault<`${Chain} has no arrow: write "a -> b".`>;

type EndFault<End extends string, Steps> = End extends 'start'
  ? never
  : End extends `${infer Id}.${infer Exit}`
    ? Id extends keyof Steps
      ? Exit extends ExitsOf<Steps[Id]>
        ? never
        : Fault<`${Id} has no exit ${Exit}.`>
      : Fault<`There is no step ${Id}.`>
    : End extends keyof Steps
      ? never
      : Fault<`There is no step ${End}.`>;

type CheckFrom<From, Steps> = From extends string
  ? string extends From
    ? From
    : FaultOr<EndFault<From, Steps>, From>
  : { readonly [I in keyof From]: CheckFrom<From[I], Steps> };
