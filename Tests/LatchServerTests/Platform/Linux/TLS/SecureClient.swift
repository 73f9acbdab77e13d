// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import LatchProcess
import LatchServer
import TestSupport

/// The openssl command as a client of a server with a certificate.
struct SecureClient {
    let address: Server.Address
    let certificate: Certificate

    /// Makes a request over HTTP/1.1 and returns what the command prints about the session, and the response.
    func request(_ options: [String], host: String = "a") async throws -> String {
        try await run(
            #"printf 'GET / HTTP/1.1\r\nHost: \#(host)\r\nConnection: close\r\n\r\n' | openssl s_client -ign_eof "$@" 2>&1"#,
            options)
    }

    /// Makes a handshake and returns what the command prints about it.
    func handshake(_ options: [String]) async throws -> String {
        try await run(#"openssl s_client "$@" 2>&1 </dev/null"#, options)
    }

    /// Asks for renegotiation after the handshake and returns what the command prints until the connection ends.
    func renegotiation(_ options: [String]) async throws -> String {
        let script = #"""
            d=$(mktemp -d); mkfifo "$d/in"; exec 3<>"$d/in"; printf 'R\n' >&3
            openssl s_client "$@" 2>&1 <&3; rm -r "$d"
            """#
        return try await run(script, options)
    }

    private func run(_ script: String, _ options: [String]) async throws -> String {
        let always = [
            "-connect", "127.0.0.1:\(address.port)", "-CAfile", certificate.certificatePath, "-verify_return_error",
        ]
        let (_, output) = try await ChildProcess.run("/bin/sh", ["-c", script, "sh"] + always + options)
        return String(decoding: output, as: UTF8.self)
    }
}

#endif
