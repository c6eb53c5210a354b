package io.hearth.core;

import java.util.Comparator;

/** Orders names by their nearness to a mistyped word: by changed, missing and added characters (Levenshtein's distance). */
public final class Spelling {
    private Spelling() {}

    /**
     * The nearest name first.
     *
     * @param word at most some hundred characters, as the compared names
     */
    public static Comparator<String> byNearness(String word) {
        return Comparator.comparingInt(name -> distance(word, name));
    }

    private static int distance(String from, String to) {
        int[] above = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] row = new int[to.length() + 1];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[to.length()];
    }
}
