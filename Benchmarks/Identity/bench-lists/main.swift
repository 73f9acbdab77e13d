// SPDX-License-Identifier: Apache-2.0

// bench-lists: measures pages of account lists.
//
//   bench-lists [--check] [--accounts N]
//
// Fills a store with N accounts (default 100,000), then reads pages of 50 by queries that differ in cost.
// The limit is 5 ms per page at the median. With --check a missed limit is a failure.

import LatchFoundation
import LatchIdentity

let arguments = CommandLine.arguments
let count = arguments.firstIndex(of: "--accounts").flatMap { Int(arguments.dropFirst($0 + 1).first ?? "") } ?? 100_000
let folder = FileManager.default.temporaryDirectory.appending(
    path: "bench-lists-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let store = try IdentityStore(path: folder.appending(path: "accounts.sqlite").path)
let filling = try await AccountFixture(store: store, count: count).fill()
print("\(count) accounts, \(filling) each to add")

let limit = 5.0
var isHeld = true
for (name, query) in ListBenchmark.all(among: count) {
    let (median, worst, rows) = try await ListBenchmark.time(query, store)
    isHeld = isHeld && median <= limit
    print(
        "\(name): \(ListBenchmark.text(median)) ms, worst \(ListBenchmark.text(worst)) ms, \(rows) rows [\(limit) ms]")
}
let statistics = try await ListBenchmark.timeStatistics(store)
isHeld = isHeld && statistics <= limit
print("statistics: \(ListBenchmark.text(statistics)) ms [\(limit) ms]")
await store.close()
if !isHeld { print("a limit was missed") }
if arguments.contains("--check"), !isHeld { throw Missed() }

/// Ends the process with a failure.
struct Missed: Error {}
