-- Sends the requests of a file in turn, from a random start. Each line has method, path, accept, content type and body,
-- separated by tabs. Prints requests, microseconds and failures.
local requests = {}
local at = 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, accept, kind, body = line:match("^(.-)\t(.-)\t(.-)\t(.-)\t(.*)$")
    local headers = { Host = wrk.headers.Host }
    if accept ~= "" then headers["Accept"] = accept end
    if kind ~= "" then headers["Content-Type"] = kind end
    requests[#requests + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
  end
  math.randomseed(os.time())
  at = math.random(#requests)
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency, _)
  local errors = summary.errors
  local failures = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  print(string.format("result %d %d %d %d %d", summary.requests, summary.duration, failures,
    latency:percentile(50), latency:percentile(99)))
end
