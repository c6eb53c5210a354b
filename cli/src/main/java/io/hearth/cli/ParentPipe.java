package io.hearth.cli;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.cli.terminal.Exit;
import io.hearth.discovery.HostPort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Follows the process that started this one: takes addresses from it, and does not outlive it. */
final class ParentPipe {
    private static final String PEER = "peer ";

    private ParentPipe() {}

    static void follow(InputStream in, AutoDiscoveryBackend hearth) {
        Thread.ofPlatform().daemon().name("hearth-parent").start(() -> {
            try (var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.startsWith(PEER)) {
                        hearth.addPeer(HostPort.parse(line.substring(PEER.length())));
                    }
                }
            } catch (IOException broken) {
                System.err.println("hearth: the pipe to the starting process broke: " + broken.getMessage());
            }
            Runtime.getRuntime().halt(Exit.INTERRUPTED); // the parent is gone: nobody is left to report to
        });
    }
}
