// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import Testing

@testable import LatchIdentity

/// The table of events in Documentation/Hooks.md.
@Suite struct EventTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The names that are built from the values of a type.
    private static let built: Set<String> = Set(
        Account.Status.settable.map { "account.\($0.rawValue)" }
            + ["login", "reauthentication", "passwordChange", "addressProof"]
            .flatMap { ["\($0).failed", "\($0).refused"] }
            + [AuditAnchor.event, EventDelivery.undelivered])

    /// Returns the names of events that the sources of the server write out.
    private static func writtenNames() throws -> Set<String> {
        let sources = root.appending(path: "Sources/Server/LatchIdentity")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.allObjects ?? []
        let place =
            #/
            (?:audit\(|event:\ |event:\ String\ =\ |recording:\ |by:\ next,\ |\?\ |:\ )\s*
            "([a-z][A-Za-z]*\.[a-zA-Z]+)"
            /#
        var names: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            names.formUnion(
                try String(contentsOf: file, encoding: .utf8).matches(of: place).map { String($0.output.1) })
        }
        // The name of a file and of a queue.
        return names.subtracting(["identity.sqlite", "latch.passwords"])
    }

    @Test func `Each event of the server is in the guide, and no other one`() throws {
        let guide = try String(contentsOf: Self.root.appending(path: "Documentation/Hooks.md"), encoding: .utf8)
        let rows = guide.matches(of: /\n\| `([a-z][A-Za-z]*\.[a-zA-Z]+)` \|/).map { String($0.output.1) }
        let names = try Self.writtenNames().union(Self.built)
        #expect(names.count > 70)
        expectEqual(rows.sorted(), names.sorted())
        #expect(AuditRecord.eventsOnPages.isSubset(of: names))
    }
}
