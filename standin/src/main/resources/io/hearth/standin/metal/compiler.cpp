// Compiles the text of the kernels as C++ and parses how each kernel takes its arguments.
#include "fake.h"
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <regex>
#include <sstream>
#include <unistd.h>

static std::string trimmed(const std::string& text) {
    size_t from = text.find_first_not_of(" \n\t");
    size_t to = text.find_last_not_of(" \n\t");
    return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

// One parameter as an argument expression of the code that calls the kernel; empty, with a problem, if Metal would reject it.
static std::string argument(const std::string& parameter, std::vector<Argument>& arguments, std::string& problem) {
    static const std::regex form(R"(^([^\[]*?)([*&]?)\s*(\w+)\s*\[\[\s*(\w+)\s*(?:\(\s*(\d+)\s*\))?\s*\]\]$)");
    std::smatch parts;
    std::string text = trimmed(parameter);
    if (!std::regex_match(text, parts, form)) {
        problem = "no attribute on the parameter: " + text;
        return "";
    }
    std::string type = trimmed(parts[1]);
    std::string attribute = parts[4];
    if (attribute == "buffer") {
        bool of_device = type.find("device") != std::string::npos;
        bool of_constant = type.find("constant") != std::string::npos;
        if (of_device == of_constant || parts[2] == "") {
            problem = "no address space on the parameter: " + text;
            return "";
        }
        bool written = of_device && type.find("const") == std::string::npos;
        arguments.push_back(Argument{std::stoi(parts[5]), of_device, written});
        std::string pointer = "(" + type + "*)arguments[" + parts[5].str() + "]";
        return parts[2] == "*" ? pointer : "*" + pointer;
    }
    static const std::map<std::string, std::string> positions = {
        {"thread_position_in_grid", "group * threads + lane"},
        {"thread_position_in_threadgroup", "lane"},
        {"thread_index_in_threadgroup", "lane"},
        {"threadgroup_position_in_grid", "group"},
        {"threads_per_threadgroup", "threads"}};
    auto found = positions.find(attribute);
    if (found == positions.end()) {
        problem = "unknown attribute: " + text;
        return "";
    }
    return "uint(" + found->second + ")";
}

static bool callers(
    const std::string& source, std::map<std::string, Function>& functions, std::string& code, std::string& problem) {
    static const std::regex declaration(R"(kernel\s+void\s+(\w+)\s*\(([^{;]*)\)\s*\{)");
    for (std::sregex_iterator at(source.begin(), source.end(), declaration), end; at != end; ++at) {
        std::string name = (*at)[1];
        Function& function = functions[name];
        function.name = name;
        std::string list;
        std::stringstream parameters((*at)[2].str());
        for (std::string parameter; std::getline(parameters, parameter, ',');) {
            list += (list.empty() ? "" : ", ") + argument(parameter, function.arguments, problem);
            if (!problem.empty()) {
                return false;
            }
        }
        std::string taken = "void* const* arguments, uint group, uint lane, uint threads";
        code += "extern \"C\" void fake_lane_" + name + "(" + taken + ") { " + name + "(" + list + "); }\n";
        code += "extern \"C\" void fake_all_" + name + "(void* const* arguments, uint groups, uint threads, int back) {\n"
              + "for (uint g = 0; g < groups; g++) for (uint l = 0; l < threads; l++) {\n"
              + "uint group = back ? groups - 1 - g : g, lane = back ? threads - 1 - l : l; " + name + "(" + list + "); } }\n";
    }
    return true;
}

static std::string quoted(const std::string& text) {
    return "'" + text + "'";
}

// Compiles a text and loads the result. What another run or process left in the folder for the same text and flags is used again.
static void* built(const std::string& text, const std::string& flags, std::string& problem) {
    static int number = 0;
    std::string folder = text_control("folder");
    std::string made = folder + "/kernels-" + std::to_string(std::hash<std::string>{}(flags + "\n" + text)) + ".so";
    if (access(made.c_str(), R_OK) != 0) {
        std::string stem = folder + "/unfinished-" + std::to_string(getpid()) + "-" + std::to_string(++number);
        std::ofstream(stem + ".cpp") << text;
        // Linked without the flag: the compiler's own library would end the process; gpu.cpp has the function instead.
        std::string compiler = quoted(text_control("compiler"));
        std::string command = "{ " + compiler + " -std=c++17 -O2 -fPIC -w -fsanitize=bounds " + flags + " -I " + quoted(folder)
            + " -c -o " + quoted(stem + ".o") + " " + quoted(stem + ".cpp") + " && " + compiler + " -shared -o "
            + quoted(stem + ".so") + " " + quoted(stem + ".o") + " " + quoted(text_control("library")) + "; } 2> "
            + quoted(stem + ".txt");
        if (std::system(command.c_str()) == 0) {
            std::rename((stem + ".so").c_str(), made.c_str());
        } else {
            std::ifstream said(stem + ".txt");
            problem.assign(std::istreambuf_iterator<char>(said), {});
        }
        for (const char* ending : {".cpp", ".o", ".txt"}) {
            std::remove((stem + ending).c_str());
        }
    }
    void* library = dlopen(made.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library && problem.empty()) {
        problem = "cannot load the kernels";
    }
    return library;
}

// The text from a kernel's name to the next kernel; a barrier must be there and not in a function that it calls.
static std::string body(const std::string& source, const std::string& name) {
    size_t from = source.find("kernel void " + name + "(");
    size_t next = source.find("kernel void ", from + 1);
    return source.substr(from, next == std::string::npos ? next : next - from);
}

bool compile(const std::string& source, bool safe, std::map<std::string, Function>& functions, std::string& problem) {
    static std::mutex lock;
    static std::map<std::string, void*> libraries;
    std::lock_guard<std::mutex> hold(lock);
    std::string code;
    if (!callers(source, functions, code, problem)) {
        return false;
    }
    std::string flags = safe ? "-ffp-contract=off" : "-ffast-math";
#if defined(__x86_64__)
    static const char* const fused = " -ffp-contract=fast -mfma";
#else
    static const char* const fused = " -ffp-contract=fast"; // every aarch64 has the instruction
#endif
    flags += control("contract") ? fused : "";
    void*& library = libraries[flags + source];
    if (!library && !(library = built(source + "\n" + code, flags, problem))) {
        return false;
    }
    for (auto& [name, function] : functions) {
        function.all = (RunAll)dlsym(library, ("fake_all_" + name).c_str());
        function.lane = (RunLane)dlsym(library, ("fake_lane_" + name).c_str());
        function.barriers = body(source, name).find("threadgroup_barrier") != std::string::npos;
    }
    return true;
}
