/*
 * Two processes, on one machine or two, add their numbers. A C program that uses Hearth: it starts a JVM and calls the functions of hearth.h.
 *
 *     ./mvnw -Pfast package
 *     cc -Wall -Ibridge/src/main/resources/io/hearth/bridge -I"$JAVA_HOME/include" -I"$JAVA_HOME/include/linux" \
 *         examples/c/sum.c -o sum -ldl                        # on a Mac: include/darwin, without -ldl
 *     ./sum "$JAVA_HOME" bridge/target/lib 2                  # start it twice
 *
 * Further arguments are settings, such as namespace=home or interfaces=lo.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <jni.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hearth.h"

#ifdef __APPLE__
#define LIBRARY "lib/server/libjvm.dylib"
#else
#define LIBRARY "lib/server/libjvm.so"
#endif

static const struct hearth_api *api;
static volatile sig_atomic_t stop;

static void interrupted(int number) {
    (void) number;
    stop = 1;
}

static void fail(const char *what) {
    char text[2048];
    int64_t length = api == NULL ? 0 : api->last_error(text, sizeof text);
    if (length > (int64_t) sizeof text) {
        length = sizeof text;
    }
    fprintf(stderr, "sum: %s: %.*s\n", what, (int) (length < 0 ? 0 : length), text);
    exit(1);
}

/* Waits for a call; Ctrl-C ends the program, also while others are missing. */
static int64_t end(int64_t call, const char *what) {
    if (call < 0) {
        fail(what);
    }
    int64_t answer;
    while ((answer = api->wait(call, 50, NULL)) == HEARTH_NOT_YET) {
        if (stop) {
            exit(130);
        }
    }
    if (answer < 0) {
        fail(what);
    }
    return answer;
}

/* -Djava.class.path=... with all jars of a folder. */
static char *class_path(const char *folder) {
    size_t size = 1 << 16;
    char *path = malloc(size);
    DIR *jars = opendir(folder);
    if (path == NULL || jars == NULL) {
        fail("no folder with jars");
    }
    size_t used = (size_t) snprintf(path, size, "-Djava.class.path=");
    for (struct dirent *jar; (jar = readdir(jars)) != NULL;) {
        if (strstr(jar->d_name, ".jar") != NULL && used < size) {
            used += (size_t) snprintf(path + used, size - used, "%s/%s:", folder, jar->d_name);
        }
    }
    closedir(jars);
    return path;
}

static const struct hearth_api *start_java(const char *java_home, const char *jars) {
    char file[4096];
    snprintf(file, sizeof file, "%s/%s", java_home, LIBRARY);
    void *library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        fail(dlerror());
    }
    jint (*create)(JavaVM **, void **, void *);
    *(void **) &create = dlsym(library, "JNI_CreateJavaVM");
    JavaVMOption options[] = {
        {class_path(jars), NULL}, {"--enable-native-access=ALL-UNNAMED", NULL}, {"-XX:+UseCompactObjectHeaders", NULL}, {"-Xrs", NULL}};
    JavaVMInitArgs arguments = {JNI_VERSION_21, sizeof options / sizeof options[0], options, JNI_FALSE};
    JavaVM *vm;
    JNIEnv *env;
    if (create == NULL || create(&vm, (void **) &env, &arguments) != JNI_OK) {
        fail("Java did not start");
    }
    jclass bridge = (*env)->FindClass(env, "io/hearth/bridge/Bridge");
    jmethodID table = bridge == NULL ? NULL : (*env)->GetStaticMethodID(env, bridge, "table", "()J");
    if (table == NULL) {
        fail("the folder has no jars of Hearth");
    }
    return (const struct hearth_api *) (intptr_t) (*env)->CallStaticLongMethod(env, bridge, table);
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: sum JAVA_HOME JARS RANKS [KEY=VALUE ...]\n");
        return 2;
    }
    signal(SIGINT, interrupted);
    api = start_java(arguments[1], arguments[2]);
    if (api->abi != HEARTH_ABI) {
        fprintf(stderr, "sum: the jars have another ABI\n");
        return 1;
    }
    int64_t ranks = atoi(arguments[3]);
    char settings[4096] = "";
    for (int i = 4; i < count; i++) {
        strncat(settings, arguments[i], sizeof settings - strlen(settings) - 1);
        strncat(settings, "\n", sizeof settings - strlen(settings) - 1);
    }

    int64_t group = end(api->open(settings), "open");
    end(api->wait_for_peers(group, ranks - 1, 60000), "wait for peers");
    end(api->start(group, ranks, 60000), "start");

    float values[1000];
    for (int i = 0; i < 1000; i++) {
        values[i] = (float) (api->rank(group) + 1);
    }
    int64_t there = end(api->all_reduce(group, values, values, sizeof values, HEARTH_FLOAT32, HEARTH_SUM, NULL, NULL), "all-reduce");
    printf("rank %d of %d: the sum over %d ranks is %g\n", (int) api->rank(group), (int) api->world_size(group), (int) there, values[999]);
    end(api->close(group), "close");
    return 0;
}
