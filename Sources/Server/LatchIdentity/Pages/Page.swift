// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A page for a person: a title, a few words, a form.
///
/// Everything that comes from outside passes through `escaped`.
struct Page {
    let title: String
    /// HTML that has been escaped already.
    let content: String

    /// A page of some words.
    init(_ title: String, words: String) {
        self.title = title
        content = "<p>\(Self.escaped(words))</p>"
    }

    /// A page with a form that is sent to `action` with what it carries and what the person adds.
    ///
    /// - Parameter wrong: What was wrong with what the person entered before.
    init(
        _ title: String, words: String, wrong: String? = nil, action: String, carrying token: String?,
        fields: String = "", button: String
    ) {
        self.title = title
        let mistake = wrong.map { #"<p class="wrong" role="alert">\#(Self.escaped($0))</p>"# } ?? ""
        content = """
            <p>\(Self.escaped(words))</p>\(mistake)
            <form method="post" action="\(action)">
            <input type="hidden" name="token" value="\(Self.escaped(token ?? ""))">
            \(fields)<button>\(Self.escaped(button))</button>
            </form>
            """
    }

    /// A field for a new password.
    static let newPassword = """
        <label for="password">New password</label>
        <input type="password" id="password" name="password" autocomplete="new-password" minlength="8" required autofocus>

        """

    /// The page without scripts and images, in no frame, whose address goes nowhere: it holds a token.
    func response(status: HTTPStatus = .ok) -> HTTPResponse {
        let policy =
            "default-src 'none'; style-src \(PageStyle.source); form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        return HTTPResponse(
            status: status,
            fields: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", "Content-Security-Policy": policy,
                "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
            ],
            body: HTTPBody(html))
    }

    /// Without scripts, so that it works where they are off, and so that the policy can forbid all of them.
    private var html: String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(Self.escaped(title))</title>
        <style>\(PageStyle.sheet)</style>
        <main>
        <h1>\(Self.escaped(title))</h1>
        \(content)
        </main>
        </html>

        """
    }

    /// Makes text harmless within an element and within a quoted attribute (HTML §13.3).
    ///
    /// Unquoted attributes and scripts have other rules; neither occurs in these pages.
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
