package io.hearth.identity;

/**
 * Names of machines for people, made safe for terminals, logs and pages.
 *
 * <p>A label comes from the owner of the machine or from a peer, and no decision depends on it. Characters that could control a terminal or
 * reorder the text around them are removed: control and escape characters, bidirectional marks and other invisible format characters,
 * private and unassigned ones, halves of surrogate pairs. A run of white space becomes one blank.
 */
public final class Labels {
    /** Most code points of a label; at most 252 bytes of UTF-8. */
    public static final int CHARACTERS_MAX = 63;

    private Labels() {}

    /** {@code raw} without unsafe characters, cut to {@link #CHARACTERS_MAX}; possibly empty. */
    public static String clean(String raw) {
        return clean(raw, CHARACTERS_MAX);
    }

    /** {@code raw} without unsafe characters, cut to {@code charactersMax} code points; possibly empty. For any text from a peer. */
    public static String clean(String raw, int charactersMax) {
        var clean = new StringBuilder();
        int characters = 0;
        boolean blank = false;
        for (int i = 0; i < raw.length() && characters < charactersMax; ) {
            int character = raw.codePointAt(i);
            i += Character.charCount(character);
            if (Character.isWhitespace(character) || Character.isSpaceChar(character)) {
                blank = characters > 0;
            } else if (isShown(character)) {
                if (blank && characters + 1 < charactersMax) {
                    clean.append(' ');
                    characters++;
                }
                blank = false;
                clean.appendCodePoint(character);
                characters++;
            }
        }
        return clean.toString();
    }

    private static boolean isShown(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
