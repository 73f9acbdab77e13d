// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchServer

/// A check of a server's certificate and its private key.
struct ServerFileCheck: Sendable {
    /// How many seconds before its end a certificate should have been renewed.
    private static let renewal = 14 * 86_400.0

    let settings: Settings
    var now = Date()

    /// Loads the certificate and the key as the server does; returns no findings if neither is set.
    func run() -> [Diagnosis] {
        do {
            guard let tls = try settings.tls() else { return [] }
            let host = settings.configuration.identity.issuer.flatMap(Self.host)
            return [certificate(try tls.report(forHost: host ?? "localhost"), of: host)] + key
        } catch {
            return [.wrong("certificate", error)]
        }
    }

    private func certificate(_ report: CertificateReport, of host: String?) -> Diagnosis {
        let facts: JSONObject = [
            "notBefore": .string(HTTPDate(report.start).description),
            "notAfter": .string(HTTPDate(report.end).description),
        ]
        let rest = report.end.timeIntervalSince(now)
        let renewal = "Renew it, and send the server SIGHUP."
        if report.start > now {
            return .wrong(
                "certificate", "It, or one behind it, is not valid before \(HTTPDate(report.start)).",
                hint: "Check this machine's clock, and the files.", facts: facts)
        }
        if rest <= 0 {
            return .wrong(
                "certificate", "It, or one behind it, ended \(RelativeTime.text(rest)).", hint: renewal, facts: facts)
        }
        if let host, !report.isForHost {
            return .wrong(
                "certificate", "It is not for \(host), the host of the issuer.",
                hint: "Get a certificate for this name. "
                    + "Clients refuse this one, unless a proxy with its own certificate is in front.",
                facts: facts)
        }
        if rest < Self.renewal {
            return .warning(
                "certificate", "It, or one behind it, ends \(RelativeTime.text(rest)).", hint: renewal, facts: facts)
        }
        return .fine("certificate", "fits its key, and ends \(RelativeTime.text(rest))", facts: facts)
    }

    /// The warning about a private key that other users can read.
    private var key: [Diagnosis] {
        guard let path = settings.configuration.tlsKey, let status = FileStatus(of: path), status.isOpenToOthers else {
            return []
        }
        return [
            .warning(
                "private key", "Other users can access \(path), which has mode \(status.mode).",
                hint: "chmod 600 '\(path)'")
        ]
    }

    /// Returns the host of a URL, without the brackets of an IPv6 address; nil if there is none.
    private static func host(of url: String) -> String? {
        guard let host = URL(encodingOnce: url).flatMap(HTTPOrigin.init)?.host, !host.isEmpty else { return nil }
        return host.utf8.first == 0x5B ? String(host.dropFirst().dropLast()) : host
    }
}
