// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Testing

@testable import LatchHTTP

@Suite struct HTTPFieldsModelTests {
    private typealias Line = (name: String, value: String)

    private static let names = ["A", "a", "B", "b", "Set-Cookie", "set-cookie", "SET-COOKIE", "X-1"]

    private func lines(_ fields: HTTPFields) -> [String] { fields.map { "\($0.name.rawName)=\($0.value)" } }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Header fields under random changes equal a plain array of lines`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var fields = HTTPFields()
        var model: [Line] = []
        for step in 0..<600 {
            let name = random.pick(Self.names)
            let key = name.lowercased()
            let value = "\(step)"
            switch random.below(4) {
            case 0, 1:
                fields.append(value, for: HTTPFieldName(name))
                model.append((name, value))
            case 2:
                fields[HTTPFieldName(name)] = value
                if let first = model.firstIndex(where: { $0.name.lowercased() == key }) {
                    model[first] = (name, value)
                    let later = model[(first + 1)...].filter { $0.name.lowercased() != key }
                    model = model[...first] + later
                } else {
                    model.append((name, value))
                }
            default:
                fields[HTTPFieldName(name)] = nil
                model.removeAll { $0.name.lowercased() == key }
            }
            expectEqual(lines(fields), model.map { "\($0.name)=\($0.value)" }, "seed \(seed), step \(step)")
            let probe = random.pick(Self.names)
            let values = model.filter { $0.name.lowercased() == probe.lowercased() }.map(\.value)
            expectEqual(fields.values(of: HTTPFieldName(probe)), values, "seed \(seed), step \(step)")
            expectEqual(fields[HTTPFieldName(probe)], values.first, "seed \(seed), step \(step)")
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Header fields under random changes with equal lines have equal hashes, in any case of the names`(seed: UInt64)
    {
        var random = SplitMix64(state: seed)
        for _ in 0..<200 {
            let names = (0..<random.below(6)).map { _ in random.pick(Self.names) }
            var (one, other) = (HTTPFields(), HTTPFields())
            one.reserveCapacity(names.count)
            for (index, name) in names.enumerated() {
                one.append("\(index)", for: HTTPFieldName(name))
                other.append("\(index)", for: HTTPFieldName(name.uppercased()))
            }
            expectEqual(one, other, "seed \(seed)")
            expectEqual(one.hashValue, other.hashValue, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Header fields under random changes are refused exactly if a byte would break a line`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        for _ in 0..<500 {
            let value = random.text(upTo: 8)
            let breaks = value.unicodeScalars.contains { ["\r", "\n", "\u{0}"].contains($0) }
            let isRefused: Bool
            do {
                try HTTPFields(dictionaryLiteral: ("X", value)).validate()
                isRefused = false
            } catch {
                isRefused = true
                expectEqual(error, HTTPError.invalidField)
            }
            expectEqual(isRefused, breaks, "seed \(seed): \(value.debugDescription)")
        }
    }
}

@Suite struct HTTPFieldNameTests {
    @Test(arguments: [("Content-Type", "content-type"), ("ETAG", "etag"), ("x", "x"), ("", ""), ("!#$", "!#$")])
    func `The name of a header field is compared in lower case and shown as it was spelled`(
        spelled: String, canonical: String
    ) {
        let name = HTTPFieldName(spelled)
        expectEqual(name.description, spelled)
        expectEqual(name.rawName, spelled)
        expectEqual(name.canonicalName, canonical)
        expectEqual(name, HTTPFieldName(canonical))
        expectEqual(Set([name, HTTPFieldName(canonical)]).count, 1)
    }

    /// Unicode would take KELVIN SIGN for a K: a field that no peer reads as a cookie must not pass for one here.
    @Test(arguments: ["COO\u{212A}IE", "Cook\u{130}e", "Cook\u{131}e", "Ｃookie"])
    func `The name of a header field has no other letter equal to one of ASCII`(name: String) {
        expectNotEqual(HTTPFieldName(name), .cookie)
    }

    /// Somebody who makes names with the digest of a known one must not pass for that.
    @Test(arguments: [
        ("x-pkrkjyutcvca", HTTPFieldName.contentLength), ("x-hqt-aohmepkn", .contentLength),
        ("x-sfwalcvgdakh-hl", .transferEncoding), ("x-xlqhypjvyar", .authorization), ("x-uxzlqtwm", .setCookie),
    ])
    func `The name of a header field differs from another name with the same digest`(name: String, known: HTTPFieldName)
    {
        expectEqual(HTTPFieldName(name).digest, known.digest)
        expectNotEqual(HTTPFieldName(name), known)
        expectNotEqual(HTTPFieldName(name.uppercased()), known)
    }

    @Test func `The name of a header field hashes equally if it is equal, also if it is not a token`() {
        let names = [0b1000_0001_1001_000, 0b1101_1010_0101_0110_1].map { number in
            (0..<17).map { number >> $0 & 1 == 1 ? "\u{C9}" : "E\u{301}" }.joined()
        }
        expectEqual(names[0], names[1])
        expectEqual(HTTPFieldName(names[0]).digest, HTTPFieldName(names[1]).digest)
        expectNotEqual(HTTPFieldName(names[0]), HTTPFieldName(names[1]))
    }

    @Test func `The name of a header field is a token of the bytes that RFC 9110 lists`() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max { expectEqual(isTokenByte(byte), allowed.contains(byte), "\(byte)") }
    }
}
