// SPDX-License-Identifier: Apache-2.0

/// Replaces the variables and escapes in a step's text.
///
/// `$a` is a variable and `$A` the same after its length, as a protobuf field has it; `$$` is a dollar sign. `\n`, `\r`, `\\` and
/// `\xHH` are bytes, and `\{N:text}` is the text N times.
struct Expansion {
    /// The values of variables by their lower-case letters.
    var variables: [UInt8: [UInt8]] = [:]
    /// The largest result in bytes: enough for every limit of a message without a token.
    static let maximum = 128 << 10

    func bytes(_ text: some Collection<UInt8>) -> [UInt8] {
        var (result, rest) = ([UInt8](), Array(text)[...])
        while let byte = rest.popFirst(), result.count < Self.maximum {
            switch byte {
            case UInt8(ascii: "$"): result += value(rest.popFirst() ?? byte)
            case UInt8(ascii: "\\"): result += escaped(&rest, upTo: Self.maximum - result.count)
            default: result.append(byte)
            }
        }
        return result
    }

    private func value(_ name: UInt8) -> [UInt8] {
        let isUpperCase = (0x41...0x5A).contains(name)
        guard let value = variables[isUpperCase ? name | 0x20 : name] else { return [name] }
        guard isUpperCase else { return value }
        return value.count < 128
            ? [UInt8(value.count)] + value : [UInt8(value.count & 0x7F | 0x80), UInt8(value.count >> 7 & 0x7F)] + value
    }

    private func escaped(_ rest: inout ArraySlice<UInt8>, upTo limit: Int) -> [UInt8] {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "x"):
            defer { rest = rest.dropFirst(2) }
            return [UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0]
        case UInt8(ascii: "{"):
            let body = rest.prefix { $0 != UInt8(ascii: "}") }
            rest = rest.dropFirst(body.count + 1)
            let parts = body.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, let count = Int(String(decoding: parts[0], as: UTF8.self)), count > 0 else {
                return Array(body)
            }
            let unit = Expansion(variables: variables).plain(parts[1])
            guard !unit.isEmpty else { return [] }
            var result: [UInt8] = []
            for _ in 0..<min(count, limit / unit.count) { result.append(contentsOf: unit) }
            return result
        case let byte?: return [byte]
        case nil: return []
        }
    }

    /// Replaces `\xHH` alone, so that repetitions do not nest.
    private func plain(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var (result, rest) = ([UInt8](), text)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x") else {
                result.append(byte)
                continue
            }
            result.append(UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16) ?? 0)
            rest = rest.dropFirst(3)
        }
        return result
    }
}
