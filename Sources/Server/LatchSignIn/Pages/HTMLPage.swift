// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP

/// An HTML page with a title, a text and a form; all input passes through ``HTMLContext/escape(_:)``.
package struct HTMLPage {
    package let title: String
    /// The escaped HTML.
    package let content: String

    /// Creates a page with a text and, if given, the form of an action that carries a token.
    ///
    /// - Parameters:
    ///   - problem: The problem of the last input.
    ///   - items: A list below the text.
    ///   - alternative: The label of a second button, which sends `other` along.
    ///   - refusal: The label of the last button, which sends `refuse` along.
    ///   - appLink: A link to an app, whose URL comes from the configuration and never from a request.
    package init(
        _ title: String, text: String, items: [String] = [], problem: String? = nil,
        action: (path: String, button: String)? = nil, carrying token: String? = nil, fields: String = "",
        alternative: String? = nil, refusal: String? = nil, appLink: (url: String, label: String)? = nil
    ) {
        self.title = title
        let mistake = problem.map { #"<p class="wrong" role="alert">\#(HTMLContext.text.escape($0))</p>"# } ?? ""
        let others = [("other", alternative), ("refuse", refusal)].compactMap { name, label in
            label.map {
                """
                <button name="\(name)" value="yes" class="second" formnovalidate>\(HTMLContext.text.escape($0))</button>
                """
            }
        }
        let list = items.map { "<li>\(HTMLContext.text.escape($0))</li>" }.joined()
        let form = action.map { path, button in
            """

            <form method="post" action="\(HTMLContext.url.escape(path))">
            <input type="hidden" name="token" value="\(HTMLContext.attribute.escape(token ?? ""))">
            \(fields)<button>\(HTMLContext.text.escape(button))</button>\(others.joined())
            </form>
            """
        }
        // Its scheme is the app's own, which the context of URLs does not follow.
        let link = appLink.map { url, label in
            #"<p><a class="button" href="\#(HTMLContext.attribute.escape(url))">\#(HTMLContext.text.escape(label))</a></p>"#
        }
        content =
            "<p>\(HTMLContext.text.escape(text))</p>\(list.isEmpty ? "" : "<ul>\(list)</ul>")\(mistake)\(form ?? "")\(link ?? "")"
    }

    /// The form field of a new password.
    package static let newPassword = """
        <label for="password">New password</label>
        <input type="password" id="password" name="password" autocomplete="new-password" minlength="8" required autofocus>

        """

    /// The form field of an account's password.
    package static let password = """
        <label for="password">Password</label>
        <input type="password" id="password" name="password" autocomplete="current-password" required autofocus>

        """

    /// Returns the form fields of a sign-in; the first one that is empty has the focus.
    package static func signIn(name: String) -> String {
        """
        <label for="name">E-mail address or user name</label>
        <input type="text" id="name" name="name" value="\(HTMLContext.attribute.escape(name))" autocomplete="username" \
        autocapitalize="none" spellcheck="false" maxlength="320" required\(name.isEmpty ? " autofocus" : "")>
        <label for="password">Password</label>
        <input type="password" id="password" name="password" autocomplete="current-password" required\
        \(name.isEmpty ? "" : " autofocus")>

        """
    }

    /// Returns the form field of the code that another device shows.
    package static func userCode(_ code: String) -> String {
        """
        <label for="user_code">Code</label>
        <input type="text" id="user_code" name="user_code" value="\(HTMLContext.attribute.escape(code))" \
        autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20" class="code" required autofocus>

        """
    }

    /// The form field of a code of the second factor, or of a recovery code.
    package static let oneTimeCode = """
        <label for="code">Code</label>
        <input type="text" id="code" name="code" inputmode="text" autocomplete="one-time-code" maxlength="40" required autofocus>

        """

    /// The form field of a code that was mailed.
    package static let mailedCode = """
        <label for="code">Code from the mail</label>
        <input type="text" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="40" required autofocus>

        """

    /// The form fields of an account's password, and of a new one that replaces it.
    package static let passwordOrNew = """
        <label for="password">Password</label>
        <input type="password" id="password" name="password" autocomplete="current-password" autofocus>
        <label for="new_password">Or a new password</label>
        <input type="password" id="new_password" name="new_password" autocomplete="new-password" minlength="8">

        """

    /// Returns the page with a policy against scripts, images, frames and referrers, since its URL holds a token.
    ///
    /// - Parameter formTarget: A source expression of the place that the response to the form redirects to, which the policy
    ///   of forms covers as well.
    package func response(status: HTTPStatus = .ok, formTarget: String? = nil) -> HTTPResponse {
        let targets = "'self'" + (formTarget.map { " \($0)" } ?? "")
        let policy =
            "default-src 'none'; style-src \(PageStyle.source); form-action \(targets); frame-ancestors 'none'; "
            + "base-uri 'none'"
        return HTTPResponse(
            status: status,
            fields: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", "Content-Security-Policy": policy,
                "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
            ],
            body: HTTPBody(html))
    }

    /// The HTML, without scripts, so that the policy can forbid all of them.
    private var html: String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(HTMLContext.text.escape(title))</title>
        <style>\(PageStyle.sheet)</style>
        <main>
        <h1>\(HTMLContext.text.escape(title))</h1>
        \(content)
        </main>
        </html>

        """
    }
}
