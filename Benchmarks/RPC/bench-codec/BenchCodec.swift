// SPDX-License-Identifier: Apache-2.0

import CMeasure
import Foundation
import LatchRPC

/// The cost of encoding and decoding a message: our field table compared to straight-line code over plain structs.
///
/// The limits are half of what swift-protobuf 1.38 needs for a message of this size on such a machine.
@main
enum BenchCodec {
    static func main() throws {
        var missed = 0
        let user = TableUser.sample
        let bytes = try user.serialized()
        var plain = PlainUser()
        try plain.read(bytes)
        // Also the proof, in an optimised build, that arrays of messages are values under both of their names.
        guard plain.written() == bytes, try isSound(user) else { throw PlainFailure.malformed }
        if CommandLine.arguments.contains("--reading") { for _ in 0..<500_000 { _ = try TableUser(serialized: bytes) } }
        if CommandLine.arguments.contains("--writing") { for _ in 0..<500_000 { _ = try user.serialized() } }
        if CommandLine.arguments.count > 1, CommandLine.arguments.last?.hasSuffix("ing") == true { return }
        print("one user, \(bytes.count) bytes")
        missed += line("table: write", limit: 681) { try user.serialized().count }
        missed += line("table: read", limit: 1_596) { try TableUser(serialized: bytes).storage.has(0) ? 1 : 0 }
        _ = line("straight line: write") { plain.written().count }
        _ = line("straight line: read") {
            var read = PlainUser()
            try read.read(bytes)
            return read.scores.count
        }
        missed += try lists(user, plain)
        missed += try json(user)
        accessors(user)
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, CommandLine.arguments.contains("--check") { exit(1) }
    }

    /// Whether a list of messages behaves as an array: it grows, is shared and parted, and ends without harm.
    private static func isSound(_ user: TableUser) throws -> Bool {
        var list = TableList()
        for index in 0..<1_000 {
            list.users.append(user)
            list.users[index].reputation = Double(index)
        }
        let users = list.users
        var read = try TableList(serialized: list.serialized())
        guard read == list, read.users == users, read.hashValue == list.hashValue else { return false }
        read.users.removeSubrange(0..<999)
        read.users[0].email = "changed"
        list.users.swapAt(0, 999)
        return users[999].email == user.email && users[0].reputation == 0 && list.users[0].reputation == 999
            && read.users.count == 1
    }

    /// A thousand users.
    private static func lists(_ user: TableUser, _ plain: PlainUser) throws -> Int {
        var missed = 0
        var list = TableList()
        list.users = (0..<1_000).map { index in
            var user = user
            user.reputation = Double(index)
            return user
        }
        let bytes = try list.serialized()
        var plainList = PlainList()
        try plainList.read(bytes)
        print("a thousand users, \(bytes.count) bytes")
        missed += line("table: write", rounds: 20, limit: 910_000) { try list.serialized().count }
        missed += line("table: read", rounds: 20, limit: 1_745_000) { try TableList(serialized: bytes).users.count }
        _ = line("straight line: write", rounds: 20) { plainList.written().count }
        _ = line("straight line: read", rounds: 20) {
            var read = PlainList()
            try read.read(bytes)
            return read.users.count
        }
        return missed
    }

    /// The same user as JSON.
    private static func json(_ user: TableUser) throws -> Int {
        var missed = 0
        let json = try user.jsonBytes()
        print("one user as JSON, \(json.count) bytes")
        missed += line("JSON: write", limit: 2_989) { try user.jsonBytes().count }
        missed += line("JSON: read", limit: 4_143) { try TableUser(json: json).storage.has(0) ? 1 : 0 }
        let text = user.text()
        _ = line("text format: write", rounds: 2_000) { user.text().utf8.count }
        _ = line("text format: read", rounds: 2_000) { try TableUser(text: text).storage.has(0) ? 1 : 0 }
        return missed
    }

    /// The cost of a field access.
    private static func accessors(_ user: TableUser) {
        print("one field")
        var changed = user
        _ = line("table: a text is read") { user.email.utf8.count }
        _ = line("table: a number is read") { user.verified ? 1 : 0 }
        _ = line("table: an enum is read") { user.role == .admin ? 1 : 0 }
        _ = line("table: a number is set") {
            changed.reputation += 1
            return 1
        }
        var list = TableList()
        list.users = Array(repeating: user, count: 1_000)
        _ = line("table: 1,000 messages are read") { list.users.count }
        _ = line("table: a message is added to them") {
            list.users.append(user)
            return list.users.count
        }
    }

    /// Prints the median of seven runs, with how many blocks of memory one round asked for; 1 where the limit is missed.
    private static func line(
        _ what: String, rounds: Int = 20_000, limit: Double? = nil, _ body: () throws -> Int
    ) -> Int {
        var times: [Double] = []
        var sum = 0
        func run() { for _ in 0..<rounds { sum &+= (try? body()) ?? 0 } }
        run()
        let blocks = measure_allocations()
        for _ in 0..<7 {
            let began = measure_processor_seconds()
            run()
            times.append((measure_processor_seconds() - began) * 1e9 / Double(rounds))
        }
        let allocations = Double(measure_allocations() - blocks) / Double(7 * rounds)
        let median = times.sorted()[3]
        let name = what.padding(toLength: 36, withPad: " ", startingAt: 0)
        let verdict = limit.map { String(format: "limit ≤ %.0f  %@", $0, median <= $0 ? "PASS" : "FAIL") } ?? ""
        let padded = verdict.padding(toLength: 22, withPad: " ", startingAt: 0)
        print(String(format: "  %@ %10.1f ns  %@  %8.1f allocations", name, median, padded, allocations))
        return sum != 0 && median > limit ?? .infinity ? 1 : 0
    }
}

extension PlainUser {
    func written() -> [UInt8] {
        var writer = PlainWriter()
        write(to: &writer)
        return writer.finish()
    }

    mutating func read(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var reader = PlainReader(at: base, end: base + buffer.count)
            try read(from: &reader)
        }
    }
}

extension PlainList {
    func written() -> [UInt8] {
        var writer = PlainWriter()
        write(to: &writer)
        return writer.finish()
    }

    mutating func read(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var reader = PlainReader(at: base, end: base + buffer.count)
            try read(from: &reader)
        }
    }
}
