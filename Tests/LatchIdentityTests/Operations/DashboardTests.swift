// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import Testing

@testable import LatchIdentity

@Suite struct DashboardTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let packaging = root.appending(path: "Packaging")

    @Test func `The dashboard and the alerts of operators show existing metrics, each of them in a panel`() throws {
        let board = try JSONValue(
            parsing: Array(try Data(contentsOf: Self.packaging.appending(path: "grafana/latch.json"))))
        let expressions = (board["panels"]?.arrayValue ?? []).flatMap { $0["targets"]?.arrayValue ?? [] }
            .compactMap { $0["expr"]?.stringValue }
        let shown = Set(expressions.flatMap(Self.metrics).map { $0.replacing("_bucket", with: "") })
        try expectEqual(shown, Self.countedMetrics(), "\(shown.sorted())")
    }

    /// Returns the names of metrics in the sources of the server, since those of the exporter are served with it alone.
    private static func countedMetrics() throws -> Set<String> {
        let sources = root.appending(path: "Sources/Server/LatchIdentity")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.allObjects ?? []
        var names: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let literals = try String(contentsOf: file, encoding: .utf8).split(separator: "\"")
            names.formUnion(literals.map(String.init).filter { $0.hasPrefix("latch_") && metrics(in: $0) == [$0] })
        }
        // Not a metric but a member of the server's metadata.
        return names.subtracting(["latch_client_id"])
    }

    /// Returns the names in an expression.
    private static func metrics(in expression: String) -> [String] {
        expression.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) && $0 != "_" }
            .filter { $0.hasPrefix("latch_") }.map(String.init)
    }

    @Test
    func `The dashboard and the alerts of operators warn by existing metrics, and give instructions`() async throws {
        let file = try String(contentsOf: Self.packaging.appending(path: "prometheus/latch.yml"), encoding: .utf8)
        let guide = try String(
            contentsOf: Self.packaging.deletingLastPathComponent().appending(path: "Documentation/Operations.md"),
            encoding: .utf8)
        let lines = file.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "-" } }
        func values(_ key: String) -> [String] {
            lines.filter { $0.hasPrefix(key + ": ") }.map { String($0.dropFirst(key.count + 2)) }
        }
        let alerts = values("alert")
        #expect(alerts.count >= 8 && Set(alerts).count == alerts.count)
        for key in ["expr", "for", "severity", "summary"] { expectEqual(values(key).count, alerts.count, "\(key)") }
        // The rule about a server that is not scraped reads Prometheus' own series.
        try await check(values("expr").filter { !$0.hasPrefix("up{") })
        for alert in alerts { #expect(guide.contains("`\(alert)`"), "\(alert) is not in the guide") }
    }

    /// Checks that the server has every metric in expressions from its start.
    private func check(_ expressions: [String]) async throws {
        let site = try await Site(.socket)
        let served = try await site.get("/metrics").text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let names = Set(served.compactMap { $0.split { $0 == "{" || $0 == " " }.first.map { String($0) } })
        for expression in expressions {
            let shown = Self.metrics(in: expression)
            #expect(!shown.isEmpty)
            for name in shown { #expect(names.contains(name), "\(name)") }
        }
        await site.close()
    }
}
