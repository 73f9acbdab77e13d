// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import Testing

@testable import LatchIdentity

@Suite struct `The dashboard of operators` {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Packaging/grafana/latch.json")

    @Test func `shows metrics that the server has, each of them in a panel`() async throws {
        let board = try JSONValue(parsing: Array(try Data(contentsOf: Self.file)))
        let expressions = (board["panels"]?.arrayValue ?? []).flatMap { $0["targets"]?.arrayValue ?? [] }
            .compactMap { $0["expr"]?.stringValue }
        #expect(expressions.count >= 10)
        let site = try await Site()
        let served = try await site.get("/metrics").text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let names = Set(served.compactMap { $0.split { $0 == "{" || $0 == " " }.first.map { String($0) } })
        for expression in expressions {
            let shown = expression.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) && $0 != "_" }
                .filter { $0.hasPrefix("latch_") }
            #expect(!shown.isEmpty)
            for name in shown { #expect(names.contains(String(name)), "\(name)") }
        }
        await site.close()
    }
}
