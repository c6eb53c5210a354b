package io.hearth.cli.run;

import com.google.gson.JsonArray;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The places of a program that starts on several machines, by rank, and what the program is told about them. The variables are those of
 * torchrun (PyTorch) and of the ring of MLX, so that programs for these run as they are.
 *
 * @param places by rank; at least one
 */
record RankTable(List<Place> places) {
    /** The encoded size of a place. */
    static final int PLACE_BYTES = 20;

    private static final int ADDRESS_BYTES = 16;
    private static final int IPV4_BYTES = 4;
    private static final int IPV4_AT = ADDRESS_BYTES - IPV4_BYTES;

    RankTable {
        places = List.copyOf(places);
    }

    /**
     * Where the program of one rank may listen.
     *
     * @param address at which the other machines reach it
     * @param masterPort a free TCP port, for rank 0
     * @param ringPort another one, for the ring of MLX
     */
    record Place(InetAddress address, int masterPort, int ringPort) {
        /** {@value #PLACE_BYTES} bytes: the address, an IPv4 one after twelve zeros; both ports, big-endian. */
        byte[] bytes() {
            byte[] raw = address.getAddress();
            return ByteBuffer.allocate(PLACE_BYTES)
                    .put(ADDRESS_BYTES - raw.length, raw)
                    .putShort(ADDRESS_BYTES, (short) masterPort)
                    .putShort(ADDRESS_BYTES + Short.BYTES, (short) ringPort)
                    .array();
        }

        private static Place of(byte[] bytes) {
            var in = ByteBuffer.wrap(bytes);
            byte[] raw = Arrays.copyOf(bytes, ADDRESS_BYTES);
            boolean isIpv4 = Arrays.equals(raw, 0, IPV4_AT, new byte[IPV4_AT], 0, IPV4_AT) && raw[IPV4_AT] != 0;
            try {
                return new Place(
                        InetAddress.getByAddress(isIpv4 ? Arrays.copyOfRange(raw, IPV4_AT, ADDRESS_BYTES) : raw),
                        Short.toUnsignedInt(in.getShort(ADDRESS_BYTES)),
                        Short.toUnsignedInt(in.getShort(ADDRESS_BYTES + Short.BYTES)));
            } catch (UnknownHostException impossible) {
                throw new AssertionError(impossible); // 4 or 16 bytes
            }
        }
    }

    /** Reads the places that all ranks have sent. */
    static RankTable of(byte[] gathered) {
        var places = new ArrayList<Place>();
        for (int at = 0; at < gathered.length; at += PLACE_BYTES) {
            places.add(Place.of(Arrays.copyOfRange(gathered, at, at + PLACE_BYTES)));
        }
        return new RankTable(places);
    }

    /**
     * The environment variables of the program of {@code rank}. {@code LOCAL_RANK} counts the programs of the same machine.
     *
     * @param hostFile path of a file with {@link #hostFile()}
     */
    Map<String, String> environment(int rank, String hostFile) {
        InetAddress own = places.get(rank).address();
        var variables = new LinkedHashMap<String, String>();
        variables.put("RANK", String.valueOf(rank));
        variables.put("WORLD_SIZE", String.valueOf(places.size()));
        variables.put("LOCAL_RANK", String.valueOf(count(own, places.subList(0, rank))));
        variables.put("LOCAL_WORLD_SIZE", String.valueOf(count(own, places)));
        variables.put("MASTER_ADDR", places.getFirst().address().getHostAddress());
        variables.put("MASTER_PORT", String.valueOf(places.getFirst().masterPort()));
        variables.put("MLX_RANK", String.valueOf(rank));
        variables.put("MLX_HOSTFILE", hostFile);
        return variables;
    }

    private static long count(InetAddress machine, List<Place> places) {
        return places.stream().filter(place -> place.address().equals(machine)).count();
    }

    /** The host file of MLX's ring: a JSON list with one list of addresses {@code HOST:PORT} for each rank. */
    String hostFile() {
        var ranks = new JsonArray();
        for (Place place : places) {
            var addresses = new JsonArray();
            addresses.add(place.address().getHostAddress() + ":" + place.ringPort());
            ranks.add(addresses);
        }
        return ranks.toString();
    }
}
