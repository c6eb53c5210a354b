package io.hearth.accel.metal;

/** The C signatures of our messages; {@link Messages} has a downcall handle for each. */
enum Shape {
    OBJECT("@@:"),
    OBJECT_OF_TEXT("@@:*"),
    OBJECT_OF_OBJECT("@@:@"),
    OBJECT_OF_INDEX("@@:Q"),
    OBJECT_OF_TWO_LONGS("@@:QQ"),
    OBJECT_OR_ERROR("@@:@^@"),
    LIBRARY_OR_ERROR("@@:@@^@"),
    LONG("Q@:"),
    SIGNED_LONG("q@:"),
    FLAG_OF_TWO_LONGS("B@:QQ"),
    POINTER("^v@:"),
    TEXT("*@:"),
    NOTHING("v@:"),
    NOTHING_OF_LONG("v@:q"),
    NOTHING_OF_UNSIGNED_LONG("v@:Q"),
    NOTHING_OF_FLAG("v@:B"),
    NOTHING_OF_OBJECT("v@:@"),
    NOTHING_OF_OBJECT_AND_LONG("v@:@Q"),
    NOTHING_OF_OBJECT_AND_TWO_LONGS("v@:@QQ"),
    NOTHING_OF_BYTES("v@:^vQQ"),
    NOTHING_OF_TWO_SIZES("v@:{?=QQQ}{?=QQQ}");

    private final String types;

    Shape(String encoding) {
        types = encoding;
    }

    Encoding encoding() {
        return Encoding.parse(types);
    }
}
