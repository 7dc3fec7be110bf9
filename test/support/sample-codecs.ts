// Codecs of every shape, for tests of codecs.
import { type Codec, lazy } from "../../src/bcs/codec.ts";
import { choice, struct, variants } from "../../src/bcs/records.ts";
import { bool, text, u16, u64 } from "../../src/bcs/scalars.ts";
import { map, option, vector } from "../../src/bcs/sequences.ts";

export interface Point {
  readonly x: number;
  readonly y: bigint;
  readonly label: string;
}

export const pointCodec: Codec<Point> = struct({ x: u16, y: u64, label: text });

export type Shape =
  | { readonly kind: "dot" }
  | { readonly kind: "circle"; readonly centre: Point; readonly filled: boolean }
  | { readonly kind: "group"; readonly parts: readonly Shape[]; readonly note: string | undefined };

export const shapeCodec: Codec<Shape> = variants("Shape", {
  dot: {},
  circle: { centre: pointCodec, filled: bool },
  group: { parts: vector(lazy(1, () => shapeCodec)), note: option(text) },
});

export const colourCodec = choice("Colour", ["red", "green", "blue"]);
export const entriesCodec = map(text, u16);
