// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import Testing

@testable import LatchWebAuthn

@Suite struct CBORTests {
    /// Decodes hexadecimal digits; nil for those that are not an item.
    private func decoded(_ hex: String) -> Result<CBORValue, CBORError> {
        var digits = hex.filter { $0 != " " }[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        do throws(CBORError) { return .success(try CBORValue(decoding: bytes)) } catch { return .failure(error) }
    }

    @Test(arguments: [
        ("00", CBORValue.integer(0)), ("17", .integer(23)), ("18 18", .integer(24)), ("19 03e8", .integer(1000)),
        ("1a 000f4240", .integer(1_000_000)), ("1b 7fffffffffffffff", .integer(.max)), ("20", .integer(-1)),
        ("38 63", .integer(-100)), ("39 0100", .integer(-257)), ("3b 7fffffffffffffff", .integer(.min)),
        ("40", .bytes([])), ("44 01020304", .bytes([1, 2, 3, 4])), ("64 49455446", .text(Array("IETF".utf8))),
        ("62 c3bc", .text([0xC3, 0xBC])), ("83 01 02 03", .array([.integer(1), .integer(2), .integer(3)])),
        ("a1 61 61 f5", .map([.text([0x61]): .bool(true)])), ("f4", .bool(false)), ("f6", .null), ("a0", .map([:])),
        ("81818180", .array([.array([.array([.array([])])])])),
    ]) func `An item of CBOR has the value of RFC 8949`(_ hex: String, _ value: CBORValue) throws {
        try expectEqual(decoded(hex).get(), value)
    }

    @Test(arguments: [
        ("", CBORError.truncated), ("18", .truncated), ("1a 0000", .truncated), ("42 01", .truncated),
        ("82 01", .truncated), ("a1 01", .truncated), ("5b ffffffffffffffff", .truncated),
        ("9b ffffffffffffffff", .truncated), ("bb 7fffffffffffffff", .truncated), ("00 00", .trailingBytes),
        ("5f 41 01 ff", .indefiniteLength), ("7f 61 61 ff", .indefiniteLength), ("9f 01 ff", .indefiniteLength),
        ("bf 01 02 ff", .indefiniteLength), ("a2 01 02 01 03", .duplicateKey),
        ("a2 01 02 18 01 03", .duplicateKey), ("a2 61 61 00 61 61 00", .duplicateKey),
        ("8181818180", .tooDeep), ("a1 01 a1 01 a1 01 a1 01 a0", .tooDeep), ("61 ff", .invalidText),
        ("62 c080", .invalidText), ("c0 00", .unsupportedItem), ("f9 0000", .unsupportedItem),
        ("fb 0000000000000000", .unsupportedItem), ("f7", .unsupportedItem), ("f8 20", .unsupportedItem),
        ("ff", .unsupportedItem), ("1c", .unsupportedItem), ("1b ffffffffffffffff", .unsupportedItem),
        ("3b ffffffffffffffff", .unsupportedItem), ("a1 80 00", .unsupportedItem), ("a1 f5 00", .unsupportedItem),
    ]) func `An item of CBOR is refused with its reason`(_ hex: String, _ reason: CBORError) {
        expectEqual(decoded(hex), .failure(reason))
    }

    @Test func `An item of CBOR that claims many members takes no memory for them`() {
        expectEqual(decoded("9a 7fffffff 00"), .failure(.truncated))
        expectEqual(decoded("ba 7fffffff 00"), .failure(.truncated))
    }

    @Test func `An item of CBOR equals our encoder's output`() throws {
        let items: [([UInt8], CBORValue)] = [0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_296, -1, -24, -25, -70_000]
            .map { (CBORBytes.integer($0), .integer($0)) }
        for (bytes, value) in items { try expectEqual(CBORValue(decoding: bytes), value) }
        let long = [UInt8](repeating: 7, count: 300)
        try expectEqual(CBORValue(decoding: CBORBytes.bytes(long)), .bytes(long))
        try expectEqual(
            CBORValue(decoding: CBORBytes.array([CBORBytes.text("é"), CBORBytes.map([])])),
            .array([.text(Array("é".utf8)), .map([:])]))
    }
}
