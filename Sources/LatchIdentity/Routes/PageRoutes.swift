// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer

/// The two pages that links in mails open.
///
/// Opening one changes nothing: scanners of mails open every link. What happens, happens when a person presses the button.
struct PageRoutes: Sendable {
    private let accounts: Accounts

    init(_ parts: IdentityParts) { accounts = Accounts(parts: parts) }

    func add(to router: inout Router) {
        router.get("/verify", verifyPage)
        router.post("/verify", verify)
        router.get("/reset", resetPage)
        router.post("/reset", reset)
    }

    @Sendable private func verifyPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        .page("Verify your e-mail address") {
            Page.form(action: "/verify", button: "Verify", fields: Page.hidden("token", request.queryItems["token"]))
        }
    }

    @Sendable private func verify(_ request: HTTPRequest) async throws -> HTTPResponse {
        do {
            try await accounts.verifyEmail(try request.formFields().single("token") ?? "")
        } catch IdentityError.invalidLink {
            return .page("The link is not valid, or no longer", status: .badRequest) { "<p>Ask for a new one.</p>" }
        }
        return .page("The e-mail address is verified") { "<p>You can close this page.</p>" }
    }

    @Sendable private func resetPage(_ request: HTTPRequest) async throws -> HTTPResponse {
        resetForm(token: request.queryItems["token"], note: "", status: .ok)
    }

    @Sendable private func reset(_ request: HTTPRequest) async throws -> HTTPResponse {
        let form = try request.formFields()
        let token = try form.single("token") ?? ""
        do {
            try await accounts.resetPassword(token, password: try form.single("password") ?? "")
        } catch IdentityError.invalidLink {
            return .page("The link is not valid, or no longer", status: .badRequest) { "<p>Ask for a new one.</p>" }
        } catch let error as IdentityError where error.code == IdentityError.weakPassword.code {
            return resetForm(token: token, note: error.message, status: .badRequest)
        }
        return .page("The password is set") { "<p>Log in with it. All other devices are signed out.</p>" }
    }

    private func resetForm(token: String?, note: String, status: HTTPStatus) -> HTTPResponse {
        .page("Choose a new password", status: status) {
            "<p>\(Page.escaped(note))</p>"
                + Page.form(
                    action: "/reset", button: "Set password",
                    fields: Page.hidden("token", token)
                        + #"<input type="password" name="password" autocomplete="new-password" minlength="8" required>"#
                )
        }
    }
}

/// Pieces of a page; everything that comes from outside passes through `escaped`.
enum Page {
    static func form(action: String, button: String, fields: String) -> String {
        #"<form method="post" action="\#(action)">\#(fields)<button>\#(button)</button></form>"#
    }

    static func hidden(_ name: String, _ value: String?) -> String {
        #"<input type="hidden" name="\#(name)" value="\#(escaped(value ?? ""))">"#
    }

    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }
}

extension HTTPResponse {
    /// A page without scripts, styles or images, in no frame, whose address goes nowhere: it holds a token.
    fileprivate static func page(
        _ title: String, status: HTTPStatus = .ok, content: () -> String
    ) -> HTTPResponse {
        let html = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>\(Page.escaped(title))</title><h1>\(Page.escaped(title))</h1>\(content())</html>

            """
        return HTTPResponse(
            status: status,
            fields: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                "Content-Security-Policy":
                    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
                "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
            ],
            body: HTTPBody(html))
    }
}
