// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchGenerator
import LatchProtoCompiler

/// Generates Swift from a descriptor whose names, comments, options and paths are hostile.
///
/// Texts that become comments or literals change no token of the Swift code, and a name that is no identifier is refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGenerate(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let pieces = bytes(data, count).split(separator: 0xFF, omittingEmptySubsequences: false)
    func text(_ index: Int, _ otherwise: String) -> String {
        guard index < pieces.count, !pieces[index].isEmpty else { return otherwise }
        return String(decoding: pieces[index].prefix(200), as: UTF8.self)
    }
    var request = Request()
    request.comments = (0..<4).map { text($0, "a comment") }
    request.file = text(4, "shop")
    request.value = text(5, "a value")
    request.prefix = text(6, "")
    request.names = zip(7..., Request.plainNames).map { text($0, $1) }
    let hostile = files(request)
    for name in request.names + [request.prefix] where !name.isEmpty && !isIdentifier(name) {
        hold(hostile == nil, "'\(name)' is no identifier, and refused")
    }
    guard let hostile else { return 0 }
    var plain = request
    plain.comments = Array(repeating: "a comment", count: 4)
    plain.value = "a value"
    let tame = files(plain)
    hold(tame != nil, "what has plain comments is generated")
    hold(hostile.map(\.path) == tame?.map(\.path), "comments and values are in no path")
    for (hostile, tame) in zip(hostile, tame ?? []) {
        hold(isSafe(hostile.path), "a path names a file below the output")
        guard hostile.path.hasSuffix(".swift") else { continue }
        let (tokens, others) = (SwiftTokens(hostile.text).all, SwiftTokens(tame.text).all)
        hold(tokens == others, "the code of \(hostile.path) is the same, whatever its comments say")
    }
    return 0
}

/// The texts of a descriptor with a message, an enum and a service.
struct Request {
    /// The names of message, field, enum, value, service and method.
    static let plainNames = ["Order", "total", "Kind", "KIND_BIG", "Orders", "Get"]

    var names = plainNames
    var comments: [String] = []
    var file = ""
    /// A default value, and the name of a field in JSON.
    var value = ""
    var prefix = ""

    /// A `CodeGeneratorRequest` for the file.
    var bytes: [UInt8] {
        var writer = WireWriter()
        writer.string(1, file + ".proto")
        writer.string(2, "layout=project,clients=true")
        writer.message(15, write)
        return writer.bytes
    }

    private func write(_ file: inout WireWriter) {
        file.string(1, self.file + ".proto")
        file.string(2, "shop.v1")
        file.string(12, "proto2")
        file.message(4) { message in
            message.string(1, names[0])
            message.message(2) { field in
                field.string(1, names[1])
                field.int32(3, 1)
                field.int32(4, 1)
                field.int32(5, 9)
                field.string(7, value)
                field.string(10, value)
            }
        }
        file.message(5) { one in
            one.string(1, names[2])
            one.message(2) { value in
                value.string(1, names[3])
                value.int32(2, 0)
            }
        }
        file.message(6) { service in
            service.string(1, names[4])
            service.message(2) { method in
                method.string(1, names[5])
                method.string(2, ".shop.v1.\(names[0])")
                method.string(3, ".shop.v1.\(names[0])")
            }
        }
        if !prefix.isEmpty { file.message(8) { $0.string(39, prefix) } }
        // The message, its field, the value of the enum, the method.
        let paths: [[UInt8]] = [[4, 0], [4, 0, 2, 0], [5, 0, 2, 0], [6, 0, 2, 0]]
        file.message(9) { info in
            for (path, comment) in zip(paths, comments) {
                info.message(1) { location in
                    location.bytes(1, path)
                    location.bytes(2, [0, 0, 1])
                    location.string(3, comment)
                    location.string(4, comment)
                }
            }
        }
    }
}

/// The generated files; nil where the request is refused.
private func files(_ request: Request) -> [(path: String, text: String)]? {
    let answer: WireMessage
    do { answer = try WireMessage(ProtocPlugin.response(to: request.bytes)) } catch { fatalError("no response") }
    if answer.string(1) != nil { return nil }
    return answer.serialized(15).map { bytes in
        guard let file = try? WireMessage(bytes) else { fatalError("no file") }
        return (file.string(1) ?? "", file.string(15) ?? "")
    }
}

private func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
    }
}

private func isSafe(_ path: String) -> Bool {
    !path.hasPrefix("/") && !path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
        && !path.utf8.split(separator: 0x2F).contains { $0.elementsEqual("..".utf8) }
}
