// SPDX-License-Identifier: Apache-2.0

/// The three parts of a compact token (RFC 7515 §7.1), still encoded.
///
/// All are slices of one copy of the text, so that nothing is copied again before the signature is known to hold.
struct CompactParts {
    /// What stands before the first dot.
    let header: ArraySlice<UInt8>
    /// What stands between the dots.
    let payload: ArraySlice<UInt8>
    /// What stands behind the second dot; it may be empty, which no algorithm here signs as.
    let signature: ArraySlice<UInt8>
    /// What is signed: header, dot and payload, as they came.
    let signed: ArraySlice<UInt8>

    /// The one character that base64url never has.
    private static let dot = UInt8(ascii: ".")

    /// - Parameter limit: A longer text is refused before anything of it is read.
    init(_ text: String, limit: Int) throws(JOSEError) {
        guard text.utf8.count <= limit else { throw .malformedToken("it is longer than \(limit) bytes") }
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(of: Self.dot),
            let second = bytes[(first + 1)...].firstIndex(of: Self.dot),
            !bytes[(second + 1)...].contains(Self.dot)
        else { throw .malformedToken("it has not three parts") }
        header = bytes[..<first]
        payload = bytes[(first + 1)..<second]
        signature = bytes[(second + 1)...]
        signed = bytes[..<second]
    }
}
