package io.hearth.scheduler.ledger;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;

/** The members of a job in the order of their indexes; immutable. A member is found by its id without a search. */
public final class Members extends AbstractList<Member> implements RandomAccess {
    private final List<Member> all;
    private final Map<String, Integer> places;

    private Members(List<Member> all, Map<String, Integer> places) {
        this.all = List.copyOf(all);
        this.places = places;
    }

    /** These members. */
    public static Members of(List<Member> all) {
        var places = new HashMap<String, Integer>();
        for (int i = 0; i < all.size(); i++) {
            places.putIfAbsent(all.get(i).id(), i);
        }
        return new Members(all, places);
    }

    @Override
    public Member get(int index) {
        return all.get(index);
    }

    @Override
    public int size() {
        return all.size();
    }

    /** The index of the member with this id, or -1. */
    int place(String id) {
        return places.getOrDefault(id, -1);
    }

    /** The same members, of which one has news. */
    Members with(int index, Member news) {
        var changed = new ArrayList<>(all);
        changed.set(index, news);
        return new Members(changed, places);
    }
}
