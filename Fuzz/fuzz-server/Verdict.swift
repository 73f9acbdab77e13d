// SPDX-License-Identifier: Apache-2.0

import CFuzzShim
import FuzzDriver
import LatchRPC

/// Returns where a text begins in others; by the C library, since this build's own loops are slow.
func position(of text: some Sequence<UInt8>, in bytes: [UInt8], from start: Int = 0) -> Int? {
    let text = Array(text)
    guard start < bytes.count else { return nil }
    let found = bytes.withUnsafeBytes { bytes in
        find_bytes(bytes.baseAddress.map { $0 + start }, UInt(bytes.count - start), text, UInt(text.count))
    }
    return found < 0 ? nil : start + found
}

/// The properties that every response has.
struct Verdict {
    let response: ReceivedResponse
    /// The bytes of the request; what they hold is not disclosed, since the fuzzer knows it.
    let request: [UInt8]
    let canaries: [[UInt8]]

    /// Checks that the server has not failed, and that the response contains nothing of others.
    func check(_ label: String) {
        let isFailure = response.status >= 500 && ![501, 505].contains(response.status)
        hold(!isFailure, "\(label) is no failure of the server: \(response.status) \(Self.text(response.content))")
        let canaries = canaries.filter { position(of: $0, in: request) == nil }
        for bytes in [response.head, response.trailers, response.content, Self.decompressed(response)] {
            for canary in canaries {
                hold(position(of: canary, in: bytes) == nil, "\(label) does not disclose '\(Self.text(canary))'")
            }
            // What a method throws that is none of its errors.
            hold(position(of: "The method failed.".utf8, in: bytes) == nil, "\(label) is no failure of a method")
            hold(position(of: "The method set a metadata".utf8, in: bytes) == nil, "\(label) sets a valid field")
        }
    }

    /// Checks that a protected route did not succeed for a client without a valid access token.
    static func checkRejected(_ response: ReceivedResponse, at path: String, _ label: String) {
        guard isProtected(path) else { return }
        guard response.status == 200 else { return }
        // The status of gRPC and of streams is in trailers or in the last envelope (0 is success).
        let text = response.fields + Self.text(response.content).lowercased()
        let hasFailed =
            text.contains("\"error\"")
            || (text.contains("grpc-status:") && !text.contains("grpc-status:0") && !text.contains("grpc-status: 0"))
        hold(hasFailed, "\(label) requires an access token")
    }

    private static let openMethods: Set<String> = [
        "Register", "Login", "Logout", "RefreshToken", "RequestPasswordReset", "ResendVerification", "ResetPassword",
        "VerifyEmail", "VerifyTwoFactor",
    ]

    private static func isProtected(_ path: String) -> Bool {
        let service = "/userservice.v1.UserService/"
        if path.hasPrefix(service) { return !openMethods.contains(String(path.dropFirst(service.count))) }
        return ["/user/profile", "/api/users", "/api/auth/reauthenticate"].contains(path)
    }

    /// The content without gzip, also inside the first envelope.
    private static func decompressed(_ response: ReceivedResponse) -> [UInt8] {
        guard response.fields.contains("encoding: gzip") else { return [] }
        let isEnveloped = response.content.first == 1
        let content = isEnveloped ? Array(response.content.dropFirst(5)) : response.content
        return (try? RPCCompression.gzip.decompress(content, 1 << 22)) ?? []
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(300), as: UTF8.self) }
}
