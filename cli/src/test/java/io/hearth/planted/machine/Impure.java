package io.hearth.planted.machine;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import javax.jmdns.JmDNS;
import org.slf4j.Logger;

/** In a package that decides, with everything that it must not touch, for {@code ArchitectureTest} to find. */
record Impure(
        Thread thread,
        InetAddress address,
        SocketChannel channel,
        ReentrantLock lock,
        ByteBuf buffer,
        JmDNS mdns,
        Logger log,
        SecureRandom secure) {
    static double now() {
        return System.nanoTime() + System.currentTimeMillis() + Math.random() + new Random().nextInt();
    }
}
