// SPDX-License-Identifier: Apache-2.0

// bench-lists: pages of accounts, for an administrator, among many.
//
//   bench-lists [--check] [--accounts N]
//
// Fills a store with N accounts (100,000) as sign-ups would, then asks for pages of 50 in the ways that cost differently.
// A page may take 5 ms at the median, however many accounts there are. With --check a missed limit is a failure.

import PortableFoundation
import LatchIdentity

let arguments = CommandLine.arguments
let count = arguments.firstIndex(of: "--accounts").flatMap { Int(arguments.dropFirst($0 + 1).first ?? "") } ?? 100_000
let folder = FileManager.default.temporaryDirectory.appending(
    path: "bench-lists-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let store = try SQLiteIdentityStore(path: folder.appending(path: "accounts.sqlite").path)
let filling = try await Crowd(store: store, count: count).fill()
print("\(count) accounts, \(filling) each to add")

let limit = 5.0
var isHeld = true
for (name, query) in Pages.all(among: count) {
    let (median, worst, rows) = try await Pages.time(query, store)
    isHeld = isHeld && median <= limit
    print("\(name): \(Pages.text(median)) ms, worst \(Pages.text(worst)) ms, \(rows) rows [\(limit) ms]")
}
let figures = try await Pages.timeFigures(store)
isHeld = isHeld && figures <= limit
print("figures: \(Pages.text(figures)) ms [\(limit) ms]")
await store.close()
if !isHeld { print("a limit was missed") }
if arguments.contains("--check"), !isHeld { throw Missed() }

/// Ends the process with a failure.
struct Missed: Error {}
