import { codecProperties } from "../../test/support/codec-properties.ts";
import { anyStructTag, anyTypeTag } from "../../test/support/move-arbitraries.ts";
import { structTagCodec, typeTagCodec } from "./type-tag.ts";

codecProperties("type tags", typeTagCodec, anyTypeTag);
codecProperties("struct tags", structTagCodec, anyStructTag);
