// SPDX-License-Identifier: Apache-2.0

/// The names and the public key in a certificate (RFC 5280 §4.1), which nothing here verifies.
package struct X509Certificate: Sendable {
    /// An attribute of a distinguished name.
    package struct Attribute: Sendable {
        /// The type in dotted decimals; nil for one with a number of more than 50 bits.
        package let type: String?
        package let value: Value
    }

    /// The value of an attribute.
    package struct Value: Sendable {
        package let der: [UInt8]
        /// The text; nil for a value that is not one.
        package let text: String?

        package init(der: [UInt8]) {
            self.der = der
            text = X509Certificate.text(der)
        }
    }

    /// The subject: attributes in sets, the most general set first.
    package let subject: [[Attribute]]
    /// The public key as SubjectPublicKeyInfo.
    package let publicKey: [UInt8]
    /// The alternative names of the subject (RFC 5280 §4.2.1.6) of these kinds; addresses have 4 or 16 bytes.
    ///
    /// Names that are not in ASCII are left out.
    package private(set) var dnsNames: [String] = [], uris: [String] = [], emails: [String] = []
    package private(set) var addresses: [[UInt8]] = []

    /// Reads a certificate in DER.
    ///
    /// - Throws: `DERError`.
    package init(der: [UInt8]) throws(DERError) {
        var whole = DERReader(der)
        var certificate = try whole.enter()
        try whole.end()
        var content = try certificate.enter()
        if content.tag == DER.contexts.0 { _ = try content.take(DER.contexts.0) }
        // The serial number, the algorithm, the issuer and the validity.
        _ = try content.take(DER.integer)
        for _ in 0..<3 { _ = try content.enter() }
        subject = try Self.name(try content.enter())
        publicKey = DER.element(DER.sequence, Array(try content.take(DER.sequence)))
        while let tag = content.tag {
            let part = try content.take(tag)
            if tag == Self.extensions { try readExtensions(DERReader(part)) }
        }
    }

    /// The tags of a set, a Boolean, and the extensions of a certificate.
    private static let (set, boolean, extensions): (UInt8, UInt8, UInt8) = (0x31, 0x01, 0xA3)

    private static func name(_ reader: DERReader) throws(DERError) -> [[Attribute]] {
        var (rest, sets): (DERReader, [[Attribute]]) = (reader, [])
        while !rest.isAtEnd {
            var (set, attributes): (DERReader, [Attribute]) = (try rest.enter(set), [])
            while !set.isAtEnd {
                var attribute = try set.enter()
                let type = try identifier(try attribute.take(DER.identifier))
                guard let tag = attribute.tag else { throw DERError() }
                let value = DER.element(tag, Array(try attribute.take(tag)))
                try attribute.end()
                attributes.append(Attribute(type: type, value: Value(der: value)))
            }
            sets.append(attributes)
        }
        return sets
    }

    /// Returns the text of a UTF8String, PrintableString or IA5String (X.680 §41); nil for any other value.
    private static func text(_ der: [UInt8]) -> String? {
        var reader = DERReader(der)
        guard let tag = reader.tag, [0x0C, 0x13, 0x16].contains(tag) else { return nil }
        do throws(DERError) {
            let bytes = try reader.take(tag)
            try reader.end()
            let text = String(decoding: bytes, as: UTF8.self)
            return text.utf8.elementsEqual(bytes) ? text : nil
        } catch {
            return nil
        }
    }

    /// Returns an object identifier in dotted decimals (X.690 §8.19); nil for one with a number of more than 50 bits.
    private static func identifier(_ bytes: ArraySlice<UInt8>) throws(DERError) -> String? {
        var (numbers, number): ([UInt64], UInt64) = ([], 0)
        for byte in bytes {
            guard number < 1 << 50 else { return nil }
            guard number != 0 || byte != 0x80 else { throw DERError() }
            number = number << 7 | UInt64(byte & 0x7F)
            guard byte < 0x80 else { continue }
            numbers += numbers.isEmpty ? [min(number / 40, 2), number - min(number / 40, 2) * 40] : [number]
            number = 0
        }
        guard let last = bytes.last, last < 0x80 else { throw DERError() }
        return numbers.map { String($0) }.joined(separator: ".")
    }

    private mutating func readExtensions(_ reader: DERReader) throws(DERError) {
        var outer = reader
        var list = try outer.enter()
        while !list.isAtEnd {
            var one = try list.enter()
            let type = try Self.identifier(try one.take(DER.identifier))
            if one.tag == Self.boolean { _ = try one.take(Self.boolean) }
            let value = try one.take(DER.octetString)
            guard type == "2.5.29.17" else { continue }
            var names = DERReader(value)
            var name = try names.enter()
            while let tag = name.tag { add(try name.take(tag), tag) }
        }
    }

    /// Adds an alternative name (RFC 5280 §4.2.1.6).
    private mutating func add(_ name: ArraySlice<UInt8>, _ tag: UInt8) {
        guard [0x81, 0x82, 0x86, 0x87].contains(tag) else { return }
        guard tag != 0x87 else { return addresses.append(Array(name)) }
        guard name.allSatisfy({ (0x21...0x7E).contains($0) }) else { return }
        let text = String(decoding: name, as: UTF8.self)
        switch tag {
        case 0x81: emails.append(text)
        case 0x82: dnsNames.append(text)
        default: uris.append(text)
        }
    }
}
