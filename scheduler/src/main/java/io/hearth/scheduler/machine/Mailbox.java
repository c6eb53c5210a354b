package io.hearth.scheduler.machine;

import io.hearth.scheduler.MessageKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/**
 * The queue of a node, with 128 messages at most; immutable. Of the heartbeats of one node only the newest waits. If there is no room, the
 * oldest heartbeat is dropped, else the oldest message; what is dropped is counted.
 *
 * @param last number of the newest message
 * @param letters that the node has not acknowledged, by number
 * @param beats numbers of the heartbeats among them, by source
 * @param sent ids of the newest messages that this node sent
 * @param dropped for want of room
 */
public record Mailbox(
        long last, PSortedMap<Long, Letter> letters, PSortedMap<String, Long> beats, List<String> sent, long dropped) {
    /** Nothing came. */
    public static final Mailbox EMPTY = new Mailbox(0, TreePMap.empty(), TreePMap.empty(), List.of(), 0);

    static final int LETTERS_MAX = 128;
    private static final int SENT_IDS_MAX = 64;

    public Mailbox {
        sent = List.copyOf(sent);
    }

    /** With a message more. */
    Mailbox plus(Letter news) {
        Letter letter = news.numbered(last + 1);
        Long before = beats.get(letter.source());
        Mailbox old = isBeat(letter) && before != null ? minus(before) : this;
        var next = new Mailbox(
                letter.number(),
                old.letters.plus(letter.number(), letter),
                isBeat(letter) ? old.beats.plus(letter.source(), letter.number()) : old.beats,
                sent,
                dropped);
        return next.letters.size() <= LETTERS_MAX ? next : next.dropOne();
    }

    private static boolean isBeat(Letter letter) {
        return letter.kind() == MessageKind.HEARTBEAT;
    }

    private Mailbox dropOne() {
        long least = letters.values().stream()
                .filter(Mailbox::isBeat)
                .findFirst()
                .map(Letter::number)
                .orElseGet(letters::firstKey);
        Mailbox rest = minus(least);
        return new Mailbox(last, rest.letters, rest.beats, sent, dropped + 1);
    }

    private Mailbox minus(long number) {
        Letter letter = letters.get(number);
        if (letter == null) {
            return this;
        }
        return new Mailbox(
                last, letters.minus(number), isBeat(letter) ? beats.minus(letter.source()) : beats, sent, dropped);
    }

    /** Without what the node has: the messages up to this number. */
    Mailbox acknowledged(long number) {
        Mailbox rest = this;
        for (long each : letters.headMap(number, true).keySet()) {
            rest = rest.minus(each);
        }
        return rest;
    }

    /** Whether there is a message after this number. */
    boolean hasAfter(long number) {
        return !letters.isEmpty() && letters.lastKey() > number;
    }

    /** The messages after this number, the oldest first. */
    Collection<Letter> after(long number) {
        return letters.tailMap(number, false).values();
    }

    /** This node sent a message with an id. */
    Mailbox sent(String id) {
        var ids = new ArrayList<>(sent);
        ids.add(id);
        if (ids.size() > SENT_IDS_MAX) {
            ids.removeFirst();
        }
        return new Mailbox(last, letters, beats, ids, dropped);
    }
}
