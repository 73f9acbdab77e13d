// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A benchmark of whole calls of `axiom-client-generator generate`: the time of the process with its written files,
/// and its peak memory.
///
/// The program lies beside this one: `swift build -c release --product axiom-client-generator`.
@main
enum BenchGenerator {
    /// A number of services with as many methods each, and what a call may take.
    struct Case {
        let services: Int
        let methods: Int
        let milliseconds: Double
        let megabytes: Double
    }

    static let cases = [
        Case(services: 1, methods: 3, milliseconds: 20, megabytes: 50),
        Case(services: 3, methods: 10, milliseconds: 30, megabytes: 60),
        Case(services: 10, methods: 20, milliseconds: 80, megabytes: 80),
        Case(services: 50, methods: 100, milliseconds: 500, megabytes: 150),
    ]

    /// What is generated where no other file is named, seen from the root of the package.
    static let example = "Examples/user-service/Protos/userservice/v1/user_service.proto"

    static func main() throws {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "axiom-client-generator")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            print("axiom-client-generator is not beside this program; build it first")
            exit(1)
        }
        let folder = memory.appending(path: "bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var missed = 0
        let path = CommandLine.arguments.dropFirst().first { $0.hasSuffix(".proto") } ?? example
        if FileManager.default.fileExists(atPath: path) {
            let (time, memory) = try run(program, path, folder.appending(path: "given"))
            missed += report(
                URL(filePath: path).lastPathComponent, time, memory,
                Case(services: 0, methods: 0, milliseconds: 20, megabytes: 50))
        }
        for one in cases {
            let name = "\(one.services)x\(one.methods)"
            let protos = folder.appending(path: name)
            try FileManager.default.createDirectory(at: protos, withIntermediateDirectories: true)
            for number in 0..<one.services {
                try text(of: number, methods: one.methods)
                    .write(to: protos.appending(path: "s\(number).proto"), atomically: false, encoding: .utf8)
            }
            let (time, memory) = try run(program, protos.path, folder.appending(path: "out-\(name)"))
            missed += report("\(one.services) services × \(one.methods) methods", time, memory, one)
        }
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, CommandLine.arguments.contains("--check") { exit(1) }
    }

    /// Where files are in memory, so that the program is measured and not the disk: ext4 looks for room for new files among
    /// all that were removed in the last minutes, and takes as long as the program for it.
    private static var memory: URL {
        let folder = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: folder.path) ? folder : FileManager.default.temporaryDirectory
    }

    /// The median of five runs into empty folders, in milliseconds, and the most memory of any child so far, in megabytes.
    private static func run(_ program: URL, _ protos: String, _ output: URL) throws -> (Double, Double) {
        var times: [Double] = []
        for round in 0..<5 {
            let process = Process()
            process.executableURL = program
            process.arguments = ["generate", "-p", protos, "-o", output.appending(path: "\(round)").path]
            process.standardOutput = FileHandle.nullDevice
            // `waitUntilExit` looks every 50 ms.
            let ended = DispatchSemaphore(value: 0)
            process.terminationHandler = { _ in ended.signal() }
            let began = ContinuousClock.now
            try process.run()
            ended.wait()
            let took = (ContinuousClock.now - began).components
            times.append(Double(took.seconds) * 1e3 + Double(took.attoseconds) / 1e15)
            guard process.terminationStatus == 0 else { exit(1) }
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return (times.sorted()[2], Double(usage.ru_maxrss) / 1024)
    }

    private static func report(_ what: String, _ time: Double, _ memory: Double, _ limit: Case) -> Int {
        let figures = [(what, time, "ms", limit.milliseconds), ("\(what), memory", memory, "MB", limit.megabytes)]
        for (name, value, unit, limit) in figures {
            let padded = name.padding(toLength: 36, withPad: " ", startingAt: 0)
            let verdict = value <= limit ? "PASS" : "FAIL"
            print(String(format: "%@ %7.1f %@  limit ≤ %3.0f  %@", padded, value, unit, limit, verdict))
        }
        return figures.count { $0.1 > $0.3 }
    }

    /// A service with what its methods send and answer.
    private static func text(of number: Int, methods: Int) -> String {
        var text = "syntax = \"proto3\";\npackage bench.s\(number);\nimport \"google/protobuf/timestamp.proto\";\n"
        text += "service Thing\(number)Service {\n"
        for method in 0..<methods {
            text += "  // Does something with number \(method).\n"
            text += "  rpc Update\(method)(Update\(method)S\(number)Request) returns (Thing\(method)S\(number));\n"
        }
        text += "}\n"
        for method in 0..<methods {
            text += """
                message Update\(method)S\(number)Request { string id = 1; string text = 2; optional int32 count = 3; }
                message Thing\(method)S\(number) {
                  string id = 1; string title = 2; google.protobuf.Timestamp created_at = 3; repeated string tags = 4;
                  map<string, int64> counts = 5; bool done = 6;
                }

                """
        }
        return text
    }
}
