// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import TestVectors
import Testing

@Suite(.enabled(if: VectorSet.structuredFields.isPresent, Comment(rawValue: VectorSet.hint)))
struct StructuredVectorTests {
    /// Cases that a reader may refuse, and that are refused here on purpose: bytes have one spelling (RFC 4648 §3.5).
    static let refused: Set<String> = ["non-zero pad bits"]

    @Test func `The published cases of structured fields are read, and written in their canonical form`() throws {
        var count = 0
        for file in VectorSet.structuredFields.files(endingWith: ".json") where !file.contains("/") {
            for test in try VectorSet.structuredFields.json(file).arrayValue ?? [] {
                count += 1
                check(StructuredCase(test), "\(file): \(test["name"]?.stringValue ?? "")")
            }
        }
        expectEqual(count, 1_591)
    }

    private func check(_ test: StructuredCase, _ name: String) {
        do {
            let field = try test.parse()
            #expect(!test.mustFail, "\(name) was read")
            expectEqual(field, test.expected, "\(name)")
            try expectEqual(field.serialized(), test.canonical, "\(name)")
        } catch {
            #expect(test.mustFail || (test.canFail && Self.refused.contains(test.name)), "\(name): \(error)")
            expectEqual(error as? HTTPError, .malformedStructuredField, "\(name)")
        }
    }

    @Test func `The published cases of structured fields are written, or refused if they have no spelling`() throws {
        var count = 0
        for file in VectorSet.structuredFields.files(endingWith: ".json") where file.hasPrefix("serialisation") {
            for test in try VectorSet.structuredFields.json(file).arrayValue ?? [] {
                count += 1
                let test = StructuredCase(test)
                let name = "\(file): \(test.name)"
                do {
                    let text = try test.expected?.serialized()
                    #expect(!test.mustFail, "\(name) was written")
                    expectEqual(text, test.canonical, "\(name)")
                } catch {
                    #expect(test.mustFail, "\(name): \(error)")
                    expectEqual(error as? HTTPError, .unwritableStructuredField, "\(name)")
                }
            }
        }
        expectEqual(count, 544)
    }
}
