// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP

extension HTTPFields {
    /// Appends a binary value; the name must end in `-bin` (Connect and gRPC).
    public mutating func appendBinary(_ value: [UInt8], for name: HTTPFieldName) {
        append(String(decoding: Base64Alphabet.standard.encode(value), as: UTF8.self), for: name)
    }

    /// Returns the binary values of a field, except those that are not valid base64.
    ///
    /// One line may contain several values, separated by commas.
    public func binaryValues(of name: HTTPFieldName) -> [[UInt8]] {
        values(of: name).flatMap { line in
            line.utf8.split(separator: 0x2C).compactMap { piece in
                // The padding is optional: gRPC over HTTP/2, "Custom-Metadata".
                let text = piece.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x3D }
                return Base64Alphabet.standard.decode(text)
            }
        }
    }

    /// Returns the lines of both, with these lines first.
    func joined(with others: HTTPFields) -> HTTPFields {
        guard !others.isEmpty else { return self }
        guard !isEmpty else { return others }
        var all = self
        for line in others { all.append(line.value, for: line.name) }
        return all
    }
}
