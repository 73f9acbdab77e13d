// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchServer
import PortableFoundation

extension Environment {
    /// Warns of settings that are valid but probably unintended.
    func warn(of settings: Settings, _ configuration: Server.Configuration) {
        if settings["mail_directory"].isEmpty, settings["smtp_url"].isEmpty {
            warn(
                "No mails can be sent, so users cannot verify an address or reset a password.",
                hint: "Set smtp_url, or mail_directory to have mails written as files.")
        }
        if configuration.tls == nil, settings["issuer"].utf8.starts(with: "https://".utf8),
            settings["trusted_proxies"].isEmpty
        {
            warn(
                "No proxy is trusted, so all clients behind the one that terminates TLS share its address and its limits.",
                hint: "Set trusted_proxies to the proxy's address, such as 127.0.0.1.")
        }
        if settings["store_key"].isEmpty, settings["store_key_file"].isEmpty,
            !ListenAddress(of: configuration).isLoopback
        {
            warn(
                "The signing keys are unencrypted in the store: a copy of its file can issue tokens for every account.",
                hint: "Set store_key_file, or LATCH_STORE_KEY, to a key that 'openssl rand -hex 32' has made.")
        }
        if let path = settings.exposedKeyFile {
            warn("Other users of this machine can read the store key in \(path).", hint: "chmod 600 '\(path)'")
        }
        // Not an error, since a proxy may terminate TLS.
        if configuration.tls == nil, !ListenAddress(of: configuration).isLoopback {
            let host = configuration.host
            warn(
                "Passwords and tokens cross the network unencrypted: other machines reach \(host).",
                hint: "Set tls_certificate and tls_key, or listen on 127.0.0.1 behind a proxy that terminates TLS.")
        }
    }
}

extension Settings {
    /// The path of the file with the store key if others than its owner may read it.
    ///
    /// Only a warning: containers mount secrets with modes of their own. A missing file is an error elsewhere.
    fileprivate var exposedKeyFile: String? {
        let path = self["store_key_file"]
        guard !path.isEmpty, let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = attributes[.posixPermissions] as? UInt, mode & 0o044 != 0
        else { return nil }
        return path
    }
}
