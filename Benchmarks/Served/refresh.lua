-- SPDX-License-Identifier: Apache-2.0
-- Refreshes sessions for wrk with one thread: each response's refresh token is the next request's.
--
-- usage: wrk -t1 -cN … -s refresh.lua URL -- FILE, which has more than N refresh tokens, one in each line

local tokens, first, last = {}, 1, 0
local fields = { ["Content-Type"] = "application/json" }

function init(arguments)
    for line in io.lines(arguments[1]) do
        last = last + 1
        tokens[last] = line
    end
end

function request()
    local token = tokens[first]
    tokens[first] = nil
    first = first + 1
    return wrk.format("POST", "/api/auth/refresh-token", fields, '{"refreshToken":"' .. (token or "none left") .. '"}')
end

function response(status, _, body)
    local token = status == 200 and body:match('"refreshToken"%s*:%s*"([^"]+)"')
    if token then
        last = last + 1
        tokens[last] = token
    end
end
