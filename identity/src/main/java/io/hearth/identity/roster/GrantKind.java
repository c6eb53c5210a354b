package io.hearth.identity.roster;

/** The way in which a machine came onto the roster. The number is its form in an entry and never changes. */
public enum GrantKind {
    /** It signed its own grant: the first entry of a namespace. */
    FOUNDED(1),
    /** A person read a code from one screen to the other. */
    PAIRED(2),
    /** It proved only the secret, or another member granted it, and a person kept it when the secret changed. */
    KEPT(3);

    private final int code;

    GrantKind(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** For people and JSON: the word in lower case. */
    public String word() {
        return switch (this) {
            case FOUNDED -> "founded";
            case PAIRED -> "paired";
            case KEPT -> "kept";
        };
    }
}
