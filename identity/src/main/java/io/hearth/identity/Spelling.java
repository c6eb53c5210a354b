package io.hearth.identity;

import java.util.Comparator;
import java.util.SortedSet;

/** Finds what a mistyped word was meant to be. */
final class Spelling {
    private Spelling() {}

    /**
     * The name with the fewest changed, missing and added characters (Levenshtein's distance).
     *
     * @param word at most some hundred characters
     * @param names at least one; of two that are as near, the first
     */
    static String nearest(String word, SortedSet<String> names) {
        return names.stream()
                .min(Comparator.comparingInt(name -> distance(word, name)))
                .orElseThrow();
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
