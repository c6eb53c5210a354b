// Command buffers on their way to the GPU thread.
#pragma once
#include "fake.h"

struct Size {
    uint64_t width;
    uint64_t height;
    uint64_t depth;
};

struct Event : Object {
    uint64_t value = 0;
};

struct Binding {
    Buffer* buffer = nullptr;
    uint64_t offset = 0;
    std::vector<uint8_t> bytes;
};

struct Work {
    Pipeline* pipeline = nullptr;
    std::vector<Binding> bindings;
    Size groups;
    Size threads;
};

struct Commands;

struct Encoder : Object {
    Commands* commands;
    Work next;
    bool ended = false;
};

struct Commands : Object {
    Encoder* open = nullptr;
    bool committed = false;
    std::vector<Work> work;
    std::vector<Object*> kept;
    Event* event = nullptr;
    uint64_t value = 0;
    std::atomic<uint64_t> status{0};
    long error = 0;
};

// gpu.cpp
void enqueue(Commands* commands);
bool wait_for(Event* event, uint64_t value, uint64_t millis);
