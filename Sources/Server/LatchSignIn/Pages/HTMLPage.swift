// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP

/// An HTML page with a title, a text and a form; all input passes through ``HTMLContext/escape(_:)``.
package struct HTMLPage: Sendable {
    package let title: String
    /// The escaped HTML.
    package let content: String
    /// The language of the texts, as a BCP 47 tag.
    package var language = "en"
    /// The title of the window, which says first that there is a problem: screen readers read it when the page opens.
    package var windowTitle: String
    /// The name of the service, which is shown above the title; nil for a page that has none.
    package var serviceName: String?

    /// A link below the text or the form.
    package struct Link: Sendable {
        let url: String
        let label: String

        /// Creates a link to a path of this server or a URL of the web; any other URL leads nowhere.
        package init(_ url: String, _ label: String) {
            self.url = HTMLContext.url.escape(url)
            self.label = label
        }
    }

    /// A button of the form that a script shows and handles, and a hidden field for what the script yields.
    package struct ScriptedButton: Sendable {
        /// The path of the script at this server.
        let script: String
        let id: String
        let label: String
        let problem: String
        let field: String

        /// Creates a button, which stays hidden where there are no scripts.
        ///
        /// - Parameter problem: The text that the script shows after a failure.
        package init(id: String, label: String, problem: String, field: String, script: String) {
            (self.id, self.label, self.problem, self.field, self.script) = (id, label, problem, field, script)
        }

        /// The field, the button and the text of a failure, as HTML.
        fileprivate var html: String {
            let (id, field) = (HTMLContext.attribute.escape(id), HTMLContext.attribute.escape(field))
            return """
                <input type="hidden" name="\(field)" id="\(field)" autocomplete="off"><button type="button" \
                id="\(id)" class="second" hidden>\(HTMLContext.text.escape(label))</button>\
                <p class="wrong" id="\(id)-problem" role="alert" hidden>\(HTMLContext.text.escape(problem))</p>
                """
        }
    }

    /// The path of the only script that the page runs; nil for a page without one.
    private let script: String?

    /// Creates a page with a text and, if given, the form of an action that carries a token.
    ///
    /// - Parameters:
    ///   - problem: The problem of the last input.
    ///   - invalidFields: The names of the fields that the problem is about; without one, the problem itself has the focus.
    ///   - items: A list below the text.
    ///   - scriptedButton: A button of a script, below the one that sends the form.
    ///   - alternative: The label of a second button, which sends `other` along.
    ///   - refusal: The label of the last button, which sends `refuse` along.
    ///   - links: The links at the end.
    ///   - appLink: A link to an app, whose URL comes from the configuration and never from a request.
    package init(
        _ title: String, text: String, items: [String] = [], problem: String? = nil, invalidFields: [String] = [],
        action: (path: String, button: String)? = nil, carrying token: String? = nil, fields: [HTMLField] = [],
        scriptedButton: ScriptedButton? = nil, alternative: String? = nil, refusal: String? = nil, links: [Link] = [],
        appLink: (url: String, label: String)? = nil
    ) {
        self.title = title
        script = action == nil ? nil : scriptedButton?.script
        windowTitle = title
        let invalid = problem == nil ? [] : fields.map(\.name).filter(invalidFields.contains)
        let mistake = problem.map {
            let focus = invalid.isEmpty ? #" tabindex="-1" autofocus"# : ""
            return #"<p class="wrong" id="problem" role="alert"\#(focus)>\#(HTMLContext.text.escape($0))</p>"#
        }
        let form = action.map { action in
            let focused = problem == nil ? fields.first(where: \.isEmpty)?.name : invalid.last
            return Self.form(
                action, token: token,
                fields: fields.map { $0.html(isInvalid: invalid.contains($0.name), hasFocus: $0.name == focused) },
                scriptedButton: scriptedButton?.html ?? "",
                others: [("other", alternative), ("refuse", refusal)].compactMap { name, label in
                    label.map { (name: name, label: $0) }
                })
        }
        let list = items.map { "<li>\(HTMLContext.text.escape($0))</li>" }.joined()
        // Its scheme is the app's own, which the context of URLs does not follow.
        let appButton = appLink.map { url, label in
            #"<p><a class="button" href="\#(HTMLContext.attribute.escape(url))">\#(HTMLContext.text.escape(label))</a></p>"#
        }
        let others = links.map { #"<li><a href="\#($0.url)">\#(HTMLContext.text.escape($0.label))</a></li>"# }.joined()
        content = [
            text.isEmpty ? nil : "<p>\(HTMLContext.text.escape(text))</p>", list.isEmpty ? nil : "<ul>\(list)</ul>",
            mistake, form, appButton, others.isEmpty ? nil : #"<ul class="links">\#(others)</ul>"#,
        ].compactMap(\.self).joined(separator: "\n")
    }

    private static func form(
        _ action: (path: String, button: String), token: String?, fields: [String], scriptedButton: String,
        others: [(name: String, label: String)]
    ) -> String {
        let buttons = others.map { name, label in
            """
            <button name="\(name)" value="yes" class="second" formnovalidate>\(HTMLContext.text.escape(label))</button>
            """
        }
        return """
            <form method="post" action="\(HTMLContext.url.escape(action.path))">
            <input type="hidden" name="token" value="\(HTMLContext.attribute.escape(token ?? ""))">
            \(fields.joined())<button>\(HTMLContext.text.escape(action.button))</button>\(scriptedButton)\(buttons.joined())
            </form>
            """
    }

    /// Returns the page with a policy against scripts, images, frames and referrers, since its URL holds a token; the script of
    /// a page that has one is this server's own, and talks to it alone.
    ///
    /// - Parameter formTarget: A source expression of the place that the response to the form redirects to, which the policy
    ///   of forms covers as well.
    package func response(status: HTTPStatus = .ok, formTarget: String? = nil) -> HTTPResponse {
        let targets = "'self'" + (formTarget.map { " \($0)" } ?? "")
        let policy =
            "default-src 'none'; style-src \(PageStyle.source); form-action \(targets); frame-ancestors 'none'; "
            + "base-uri 'none'" + (script == nil ? "" : "; script-src 'self'; connect-src 'self'")
        return HTTPResponse(
            status: status,
            fields: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", "Content-Language": language,
                "Vary": "Accept-Language", "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer",
                "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
            ],
            body: HTTPBody(html))
    }

    /// The HTML, without scripts of its own, so that the policy can forbid all of them.
    private var html: String {
        let brand = serviceName.map { "<p class=\"brand\">\(HTMLContext.text.escape($0))</p>\n" } ?? ""
        let head = script.map { "<script src=\"\(HTMLContext.url.escape($0))\" defer></script>\n" } ?? ""
        let window = [windowTitle, serviceName].compactMap(\.self).joined(separator: " – ")
        return """
            <!doctype html>
            <html lang="\(HTMLContext.attribute.escape(language))">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(HTMLContext.text.escape(window))</title>
            <style>\(PageStyle.sheet)</style>
            \(head)<main>
            \(brand)<h1>\(HTMLContext.text.escape(title))</h1>
            \(content)
            </main>
            </html>

            """
    }
}
