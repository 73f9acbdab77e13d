// SPDX-License-Identifier: Apache-2.0

import CMeasure
import Foundation
import LatchGenerator
import LatchProtoCompiler

/// A benchmark of compiling .proto files and writing Swift: time, its linear growth, and memory.
@main
enum BenchGenerate {
    static func main() {
        var missed = 0
        let small = Sample.messages(250)
        missed += line("250 messages of 17 fields", small, limit: 250)
        missed += line("500 messages", Sample.messages(500), limit: 500)
        let large = Sample.messages(1000)
        missed += line("1,000 messages", large, limit: 1000)
        missed += line("one message of 10,000 fields", Sample.fields(10_000), limit: 500)
        missed += line("an enum of 10,000 values", Sample.values(10_000), limit: 500)
        missed += line("50 services of 100 methods", Sample.services(50, methods: 100), limit: 500)
        // Four times as many may take four times as long, and what noise adds.
        let growth = median(large) / median(small)
        missed += check("1,000 messages beside 250", growth, "times", limit: 5)
        missed += check("memory at its peak", peak(), "MB", limit: 150)
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, CommandLine.arguments.contains("--check") { exit(1) }
    }

    private static func line(_ what: String, _ text: String, limit: Double) -> Int {
        check(what, median(text), "ms", limit: limit)
    }

    /// The median of five runs in milliseconds of processor time.
    private static func median(_ text: String) -> Double {
        let bytes = Array(text.utf8)
        var times: [Double] = []
        for _ in 0..<5 {
            let began = measure_processor_seconds()
            let compilation = Compiler { $0 == "bench.proto" ? bytes : nil }.compile(["bench.proto"])
            let output = SwiftWriter(files: compilation.filesToGenerate, options: SwiftOptions()).write()
            times.append((measure_processor_seconds() - began) * 1e3)
            guard compilation.isComplete, !output.files.isEmpty else {
                print(compilation.diagnostics, output.diagnostics)
                exit(2)
            }
        }
        return times.sorted()[2]
    }

    private static func check(_ what: String, _ value: Double, _ unit: String, limit: Double) -> Int {
        let name = what.padding(toLength: 32, withPad: " ", startingAt: 0)
        let verdict = value <= limit ? "PASS" : "FAIL"
        print(String(format: "%@ %8.1f %@  limit ≤ %.0f  %@", name, value, unit, limit, verdict))
        return value <= limit ? 0 : 1
    }

    /// The most memory that this process had, in megabytes; zero where the system does not tell.
    private static func peak() -> Double {
        let status = FileManager.default.contents(atPath: "/proc/self/status").map {
            String(decoding: $0, as: UTF8.self)
        }
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
    }
}
