package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.dns.DnsReader;
import io.hearth.discovery.dns.Packet;
import io.hearth.discovery.mdns.machine.Advert;
import io.hearth.discovery.mdns.machine.MdnsIdentity;
import io.hearth.discovery.mdns.machine.MdnsJudge;
import io.hearth.discovery.mdns.machine.MdnsJudge.Heard;
import io.hearth.discovery.mdns.machine.MdnsJudgeTest;
import io.hearth.discovery.mdns.machine.TagEncoding;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** A joining node, which holds no key, finds the machine that shows its code. */
final class NameplateTest {
    private static final String TYPE = "_hearth._tcp.local";
    private static final int PORT = 52_400;
    private static final TagEncoding NEWCOMER = TagEncoding.seeking("42", Keys.of("random", 1));
    private static final LinkPrefix LINK = new LinkPrefix(MdnsJudgeTest.address(10, 77, 0, 9), 16);

    private final MdnsJudge judge = new MdnsJudge(
            new MdnsIdentity(NEWCOMER.sign(MdnsJudgeTest.nonce(999), PORT, Optional.empty()), "self", "hself"),
            NEWCOMER,
            _ -> false,
            LINK::holds,
            0);

    private static Advert advert(int nonce, String nameplate) {
        return Keys.codec("whoever").sign(MdnsJudgeTest.nonce(nonce), PORT, Optional.of(nameplate));
    }

    private List<Heard> hear(Bytes source, Advert advert) throws MalformedMessageException {
        byte[] bytes = Packet.response()
                .srv("x" + advert.nonce().hex() + "." + TYPE, 120, PORT, "h.local")
                .txt("x" + advert.nonce().hex() + "." + TYPE, 120, advert.txt())
                .bytes();
        return judge.judge(DnsReader.read(bytes, bytes.length), source, 0).heard();
    }

    @Test
    void onlyTheNameplateCounts() throws MalformedMessageException {
        Bytes sponsor = MdnsJudgeTest.address(10, 77, 0, 1);
        assertEquals(
                List.of(new Heard(MdnsJudgeTest.nonce(1), PORT, 1, List.of(sponsor))), hear(sponsor, advert(1, "42")));
        assertEquals(List.of(), hear(sponsor, advert(2, "43")));
        assertEquals(
                List.of(), hear(sponsor, Keys.codec("whoever").sign(MdnsJudgeTest.nonce(3), PORT, Optional.empty())));
    }

    @Test
    void membersTakeAMachineThatPairsForAStranger() {
        assertEquals(OptionalInt.empty(), Keys.codec("home").verify(advert(1, "42"), PORT));
    }

    /** The nameplate is public: a stranger that announces it thousands of times only fills a bounded table. */
    @Test
    void aStrangerWithTheNameplateFillsNoTable() throws MalformedMessageException {
        int told = 0;
        for (int i = 0; i < 5_000; i++) {
            told += hear(MdnsJudgeTest.address(10, 77, i >> 8, i), advert(i, "42"))
                    .size();
        }
        assertTrue(told <= MdnsJudge.MEMBERS_MAX, "" + told);
        assertTrue(judge.size() <= MdnsJudge.MEMBERS_MAX + MdnsJudge.HALVES_MAX + MdnsJudge.STRANGERS_MAX);
    }
}
