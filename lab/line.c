/* A long line between two switches of the lab: frames from one port leave through the other one after a delay and at a rate.
 *   line A B BITS_PER_SECOND DELAY_US QUEUE_US
 * Each direction has its own rate and queue. QUEUE_US is how long the newest frame may wait for its turn, without the delay; a frame that
 * would wait longer is dropped. It goes to the background when both ports are open, and ends with TERM.
 *
 * Frames carry the kernel's header of offloads (struct virtio_net_hdr). So checksums that the sender left to its card stay as they are, and
 * a frame of up to 64 KiB that the receiving side is to cut up arrives as such. A rate counts bytes as tbf does: with the Ethernet header. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HEADER sizeof(struct virtio_net_hdr)
#define FRAME_MAX (65536 + 64)  /* a frame of 64 KiB with its Ethernet and VLAN headers */
#define SLOTS 65536             /* frames on the way in one direction; a power of two */
#define BATCH 64                /* frames taken from one port before the other one has its turn */
#define SOCKET_BYTES (16 << 20) /* what a port may hold while this program does not run */
#define BURST_NS 1000000        /* what an idle line may catch up: the scheduler lets this program run late */

struct frame {
  int64_t due; /* ns of the monotonic clock */
  uint32_t bytes;
  unsigned char *data;
};
/* One direction: a queue whose frames leave in the order in which they came. */
struct way {
  int in, out;
  int64_t sent; /* when the line will have sent the newest frame */
  uint32_t first, last;
  struct frame *frames;
};

static int64_t bits_per_second, delay_ns, queue_ns, lost;

static void die(const char *what) { fprintf(stderr, "line: %s: %s\n", what, strerror(errno)); exit(1); }

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int port(const char *name) {
  int one = 1, bytes = SOCKET_BYTES, fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
  if (fd < 0) die("socket");
  if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one)) die("PACKET_VNET_HDR");
  if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one)) die("PACKET_IGNORE_OUTGOING");
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes)) die("SO_RCVBUFFORCE");
  if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes)) die("SO_SNDBUFFORCE");
  struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = if_nametoindex(name)};
  if (!at.sll_ifindex || bind(fd, (void *)&at, sizeof at)) die(name);
  return fd;
}

/* Takes what has arrived at a port. */
static void take(struct way *w) {
  static unsigned char buffer[HEADER + FRAME_MAX];
  for (int i = 0; i < BATCH; i++) {
    ssize_t n = recv(w->in, buffer, sizeof buffer, MSG_TRUNC);
    if (n < 0 && errno == EAGAIN) return;
    if (n < (ssize_t)(HEADER + ETH_HLEN) || n > (ssize_t)sizeof buffer) continue; /* or an error, which recv says once */
    int64_t at = now(), start = w->sent > at - BURST_NS ? w->sent : at - BURST_NS;
    if (start - at > queue_ns || w->last - w->first == SLOTS) continue;
    unsigned char *copy = malloc(n);
    if (!copy) continue;
    memcpy(copy, buffer, n);
    w->sent = start + (int64_t)(n - HEADER) * 8 * 1000000000LL / bits_per_second;
    int64_t leaves = w->sent > at ? w->sent : at;
    w->frames[w->last++ % SLOTS] = (struct frame){.due = leaves + delay_ns, .bytes = n, .data = copy};
  }
}

/* Lets go what is due, and returns when the next frame is: INT64_MAX if there is none. */
static int64_t release(struct way *w) {
  int64_t at = now();
  while (w->first != w->last) {
    struct frame *f = &w->frames[w->first % SLOTS];
    if (f->due > at) return f->due;
    if (send(w->out, f->data, f->bytes, 0) < 0) lost++; /* as on a cable that is out */
    free(f->data);
    w->first++;
  }
  return INT64_MAX;
}

int main(int argc, char **argv) {
  if (argc != 6 || (bits_per_second = atoll(argv[3])) < 1000 || (delay_ns = atoll(argv[4]) * 1000) < 0 ||
      (queue_ns = atoll(argv[5]) * 1000) < 0) {
    fprintf(stderr, "usage: line A B BITS_PER_SECOND DELAY_US QUEUE_US\n");
    return 2;
  }
  int a = port(argv[1]), b = port(argv[2]);
  struct way ways[2] = {{.in = a, .out = b}, {.in = b, .out = a}};
  for (int i = 0; i < 2; i++) if (!(ways[i].frames = calloc(SLOTS, sizeof(struct frame)))) die("calloc");
  if (daemon(0, 0)) die("daemon");
  /* A line does not wait for the programs that share its processor. Where real-time priority is not allowed, -20 is next. */
  struct sched_param first = {.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &first)) setpriority(PRIO_PROCESS, 0, -20);
  prctl(PR_SET_TIMERSLACK, 1);
  for (;;) {
    int64_t due = INT64_MAX;
    for (int i = 0; i < 2; i++) {
      int64_t next = release(&ways[i]);
      if (next < due) due = next;
    }
    int64_t wait = due == INT64_MAX ? 0 : due - now();
    if (wait < 0) wait = 0;
    struct timespec span = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
    struct pollfd ports[2] = {{.fd = a, .events = POLLIN}, {.fd = b, .events = POLLIN}};
    if (ppoll(ports, 2, due == INT64_MAX ? NULL : &span, NULL) < 0 && errno != EINTR) die("ppoll");
    for (int i = 0; i < 2; i++) {
      if (ports[i].revents) take(&ways[i]);
    }
  }
}
