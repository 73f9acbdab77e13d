// SPDX-License-Identifier: Apache-2.0

/// A sequence of steps, one on each line of the fuzzer's input.
///
/// ```text
/// 1 POST /auth/signup {"email":"mallory@example.com","password":"$p"}
/// 1a GET /user/profile
/// + 3600
/// 2|GET / HTTP/1.1\r\n
/// ```
///
/// A request begins with the client's digit and the letters of ``Request``, a jump of the clock with `+`. Every other line
/// is bytes for the connection of its digit.
enum Step {
    case request(Request)
    case bytes(client: Int, [UInt8])
    case advance(seconds: Int)

    /// A request; its target and content may contain the variables and escapes of ``Expansion``.
    struct Request {
        var client = 0
        /// The letters after the digit, in any order.
        ///
        /// | letters | meaning |
        /// |---|---|
        /// | `j` `f` `p` `m` `t` `o` | content: JSON (default), form, protobuf, multipart, text, without a type |
        /// | `g` `w` `s` | in an envelope: gRPC, gRPC-Web, a Connect stream |
        /// | `z` `d` `b` | compressed by gzip; announced as deflate, br |
        /// | `a` `r` `v` `n` `N` | credentials: access token, refresh token, altered access token, client, wrong client |
        /// | `k` `x` `i` `A` | refresh cookie, cross-site origin, idempotency key, accepts gzip |
        /// | `h` `l` `u` `e` `q` | chunks, length too large, too small, Expect, the last request of the connection |
        var letters: Set<UInt8> = []
        var method: [UInt8] = []
        var target: [UInt8] = []
        var content: [UInt8] = []

        /// Whether a letter is given.
        func has(_ letter: Unicode.Scalar) -> Bool { letters.contains(UInt8(ascii: letter)) }
    }

    /// The number of clients, each with an address and a connection of its own.
    static let clients = 4
    /// The steps that one input may have: more find nothing that others do not.
    private static let maximum = 12

    /// Parses an input; each is valid.
    static func steps(of input: [UInt8]) -> [Step] {
        input.split(separator: UInt8(ascii: "\n")).prefix(maximum).map { step(Array($0)) }
    }

    private static func step(_ line: [UInt8]) -> Step {
        if line.first == UInt8(ascii: "+") {
            return .advance(seconds: min(Int(String(decoding: line.dropFirst(2), as: UTF8.self)) ?? 1, 40 * 86_400))
        }
        let client = line.first.map { Int($0) % clients } ?? 0
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
        guard line.count > 1, line[1] != UInt8(ascii: "|"), parts.count > 2, isToken(parts[1]) else {
            return .bytes(client: client, Array(line.dropFirst(line.dropFirst().first == UInt8(ascii: "|") ? 2 : 0)))
        }
        return .request(
            Request(
                client: client, letters: Set(parts[0].dropFirst()), method: Array(parts[1]), target: Array(parts[2]),
                content: parts.count > 3 ? Array(parts[3]) : []))
    }

    /// Whether the bytes are a method's name (RFC 9110 §5.6.2), which the reading of the response depends on.
    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
    }
}
